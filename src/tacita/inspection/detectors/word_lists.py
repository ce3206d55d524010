"""Words by which detectors read text: given names, titles, verbs and streets, short lists."""

from __future__ import annotations


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


# Given names that are frequent in official statistics of births, without those that are words,
# towns or countries as well (Virginia, Jordan, Florence, August, Mark). Without accents.
GIVEN_NAMES = _set(
    # English
    "james john robert michael william david richard joseph thomas christopher daniel matthew "
    "anthony donald steven andrew joshua kenneth kevin brian edward ronald timothy jason jeffrey "
    "ryan jacob nicholas jonathan stephen larry justin scott brandon benjamin samuel gregory "
    "alexander patrick raymond jack dennis jerry tyler aaron jose henry adam peter nathan zachary "
    "walter kyle harold carl jeremy keith roger arthur lawrence albert joe mary patricia jennifer "
    "linda elizabeth barbara susan jessica sarah karen lisa nancy betty sandra margaret ashley "
    "kimberly emily donna michelle carol amanda melissa deborah stephanie rebecca laura sharon "
    "cynthia kathleen amy angela shirley anna brenda pamela emma nicole helen samantha katherine "
    "christine debra rachel catherine maria heather diane julie joyce evelyn joan kelly christina "
    "martha judith cheryl megan andrea olivia ann jean alice jacqueline hannah doris kathryn "
    "gloria teresa sara janice oliver george harry noah charlie ethan liam logan lucas mason "
    "elijah amelia isla ella lily sophie mia chloe ana bob tom tim jim mike dave steve bill "
    # German
    "hans klaus wolfgang jurgen dieter manfred uwe gunter horst bernd heinz helmut gerhard werner "
    "rainer stefan andreas matthias markus jorg ralf frank karl heinrich josef franz johann "
    "ludwig friedrich wilhelm otto hermann kurt erich walther lukas maximilian felix jonas leon "
    "paul elias finn tobias florian sebastian philipp fabian jan dominik johannes christoph "
    "ursula monika petra sabine renate helga karin brigitte ingrid erika claudia gisela birgit "
    "heike martina gabriele susanne ute kerstin anja silke katrin anke johanna hannelore gerda "
    "hildegard elfriede gertrud lena lea leonie marie luisa katharina greta frieda eva ilse "
    "waltraud edeltraud huberta "
    # French
    "pierre jacques philippe alain bernard christian gerard francois rene andre claude henri "
    "marcel louis guy georges yves thierry pascal laurent nicolas julien sebastien guillaume "
    "antoine mathieu hugo theo gabriel raphael jules maxime clement quentin olivier eric nathalie "
    "isabelle sylvie francoise monique martine jeanne michele veronique sandrine celine aurelie "
    "camille manon ines juliette louise madeleine simone yvonne odette genevieve helene amelie "
    "mathilde margaux "
    # Spanish and Portuguese
    "antonio manuel francisco juan javier carlos jesus miguel rafael pedro angel alejandro "
    "fernando pablo sergio jorge alberto luis alvaro diego adrian raul ivan ruben enrique ramon "
    "vicente joaquin andres eduardo gonzalo carmen josefa isabel dolores pilar cristina marta "
    "lucia francisca antonia mercedes elena concepcion rosario paula raquel beatriz silvia nuria "
    "irene rocio alba joao paulo tiago ricardo nuno rui filipe sofia mariana joana catarina "
    "matilde leonor luiz marcos fernanda juliana adriana luciana jimena ximena guadalupe "
    # Italian
    "giuseppe giovanni mario luigi francesco angelo vincenzo pietro salvatore franco domenico "
    "bruno paolo giorgio aldo luciano alessandro lorenzo matteo riccardo davide tommaso federico "
    "stefano massimo roberto claudio giulia giuseppina rosa giovanna carmela caterina francesca "
    "antonietta paola chiara alessia valentina federica elisa ilaria simona antonella roberta "
    "aurora ginevra "
    # Polish and Czech
    "andrzej piotr krzysztof stanislaw tomasz pawel marcin michal grzegorz jerzy tadeusz lukasz "
    "zbigniew ryszard dariusz henryk mariusz kazimierz wojciech mateusz marek jacek jakub kacper "
    "bartosz maciej katarzyna malgorzata agnieszka krystyna ewa elzbieta zofia magdalena joanna "
    "janina danuta jadwiga aleksandra halina irena beata dorota helena karolina grazyna jolanta "
    "iwona marianna natalia zuzanna jiri petr tomas pavel jaroslav miroslav zdenek vaclav "
    "frantisek jana hana lenka katerina lucie vera alena "
    # Dutch
    "cornelis hendrik willem pieter jacobus gerrit daan sem levi milan bram thijs jeroen maarten "
    "wouter sander bart joost kees dirk cornelia elisabeth wilhelmina hendrika catharina "
    "margaretha sanne lotte fleur femke marieke annemarie marijke anneke greetje saskia "
    # Swedish, Norwegian, Danish and Finnish
    "lars anders johan erik per nils olof sven bengt gunnar leif hakan goran magnus fredrik "
    "mikael henrik bjorn ole arne knut olav kjell terje jens niels soren jorgen mads rasmus "
    "birgitta kristina margareta inger astrid linnea elsa maja ebba wilma solveig kari anne berit "
    "mette kirsten hanne lene juhani matti timo pekka antti mikko jukka heikki aino anneli "
    "kaarina liisa tuula riitta "
    # Turkish, Arabic, Slavic, South Asian and others
    "mehmet mustafa ahmet ali huseyin hasan ibrahim ismail osman yusuf murat fatma ayse emine "
    "hatice zeynep elif mohammed muhammad mohamed omar khalid hamza fatima aisha khadija zainab "
    "maryam aleksandr sergei dmitri vladimir andrei alexei igor oleg olga tatiana svetlana "
    "ekaterina irina ludmila milica jovana dragan zoran nikola marko amit rahul priya anjali "
    "sanjay vijay rajesh sunita wei ming hiroshi takashi yuki kenji nguyen "
)

# Titles before a family name, without full stops and accents.
TITLES = (
    "mr|mrs|ms|miss|mister|sir|madam|dr|doctor|prof|professor|herrn?|frau|fr[äa]ulein|hr|"
    "m|mme|mlle|monsieur|madame|mademoiselle|docteur|"
    "sr|sra|srta|se[ñn]or|se[ñn]ora|se[ñn]orita|don|do[ñn]a|senhora?|dona|"
    "sig|sigra|signora?|signorina|dott|dottssa|dottor|dottoressa|"
    "pani?|pana|panem|pani[ąa]|pan[íi]|"
    "dhr|mevr|mw|meneer|mevrouw|heer|herra|rouva|fru|fr[öo]ken"
)

# Titles that are titles without a capital as well.
SMALL_TITLES = _set(
    "dhr mevr mw meneer mevrouw frau herr herrn pani monsieur madame mademoiselle mme mlle señor "
    "señora señorita senhor senhora signor signora signorina doctor docteur fru rouva"
)

# Words beside which a given name is that of a town, a church, a school or a firm.
PLACE_WORDS = _set(
    "san santa santo saint sainte sankt st sint sao fort port porto mount monte lake los las new "
    "north south east west street road avenue square platz strasse university college school "
    "hospital klinik airport church city town island islands beach county park river bay valley "
    "hills district region hotel museum institute foundation gmbh ltd inc bank"
)

# Words of statements about somebody: verbs in the past or present, pronouns, what belongs to them.
STATEMENT_WORDS = _set(
    "is was are were has had have been be he she his her him they their i my me we our you your "
    "said says told asked asks called calls fell hit refuses refused wants wanted needs lives "
    "lived moved came went saw seen feels felt thinks does did will would can could cannot ist "
    "war sind waren hat hatte haben wurde wird werden er sie sein seine seinen ihr ihre ihren ich "
    "mein meine wir uns nicht kein keine lebt wohnt arbeitet kommt kam ging sagt sagte wollte "
    "kann konnte muss soll anrufen angerufen est sont etait étaient était ont avait il elle ils "
    "elles son sa ses je mon ma mes nous vient habite travaille dit refuse veut peut pas es era "
    "fue tiene tenía tuvo ha había él ella su sus mi mis yo vive trabaja dice dijo quiere puede "
    "está estaba è aveva sono stato stata lui lei suo sua suoi loro io mio mia abita lavora vuole "
    "non viene jest był była miał miała jego jej mój moja nie mieszka pracuje mówi chce może "
    "został została heeft zijn haar hij zij ik mijn niet woont werkt zegt wil kan moet werd wordt "
    "är har hade han hon hans hennes jag min inte bor arbetar säger vill blev foi tem tinha ele "
    "ela seu meu minha mora trabalha disse quer não "
)

STREETS = (
    r"\b(?:Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Drive|Dr|Boulevard|Blvd|Court|Ct|Crescent|Terrace|"
    r"Square|Highway|Hwy|Parkway|Pkwy)\b"
)
# Parts of words and words for streets; the number follows.
STREETS_BEFORE_NUMBER = (
    r"(?:\w{2,30}(?:stra(?:ß|ss)e|str\.|gasse|weg|platz|allee|ufer|damm|straat|laan|gracht|"
    r"plein|kade|gatan|vägen|gata|veien|vegen|gaten|vej|gade|katu|tie)"
    r"|\w{2,30} (?:Stra(?:ß|ss)e|Str\.|Gasse|Weg|Platz|Allee|straat|laan|gatan|vägen)"
    r"|(?:calle|c/|avenida|avda\.?|plaza|paseo|rua|travessa|praça|via|viale|piazza|corso|vicolo|"
    r"ul\.|ulica|al\.|aleja|os\.|pl\.|nám\.|náměstí)\s(?:\w[\w.'-]{0,30}\s){0,4}\w[\w.'-]{1,30})"
)
STREETS_AFTER_NUMBER = (
    r"(?:rue|avenue|av\.|boulevard|bd\.?|place|chemin|impasse|allée|quai|route de|cours)"
)
# One of these stands in every street above; for a quick look.
STREET_HINTS = (
    r"(?:str(?:a|\.|eet)|stra|gasse|weg|platz|allee|ufer|damm|laan|gracht|plein|kade|gata|v[äe]g|vei|"
    r"veien|vej|gade|katu|tie |tie[0-9]|calle|c/|aven|avda|plaza|paseo|rua|travessa|pra[çc]a|via|"
    r"piazza|corso|vicolo|ul\.|ulica|al\.|aleja|os\.|pl\.|n[áa]m|road|rd|ave|lane|ln|drive|dr|"
    r"boul|blvd|court|crescent|terrace|square|highway|hwy|parkway|pkwy|\bst\b|rue|av\.|bd|place|"
    r"chemin|impasse|all[ée]e|quai|route|cours)"
)
