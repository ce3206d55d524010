from __future__ import annotations

import sys

import pyarrow as pa
import pytest

import tacita as ta
from tacita.errors import HierarchyError, MissingExtraError, ParameterError

OBO = """format-version: 1.2
ontology: ill

[Term]
id: ILL:1
name: disease

[Term]
id: ILL:2
name: viral disease
is_a: ILL:1 ! disease

[Term]
id: ILL:3
name: lung disease
is_a: ILL:1 ! disease
relationship: part_of ILL:2

[Term]
id: ILL:4
name: influenza
alt_id: ILL:44
synonym: "flu" EXACT []
synonym: "grippe-like illness" BROAD []
is_a: ILL:2 ! viral disease
intersection_of: ILL:3
intersection_of: part_of ILL:2
xref: ICD10:J10

[Term]
id: ILL:9
name: miasma
is_a: ILL:1 ! disease
is_obsolete: true

[Typedef]
id: part_of
name: part of
"""
PREFIXES = """
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix oio: <http://www.geneontology.org/formats/oboInOwl#> .
@prefix obo: <http://purl.obolibrary.org/obo/> .
"""
OWL = (
    PREFIXES
    + """
obo:ILL_1 a owl:Class ; rdfs:subClassOf owl:Thing ; rdfs:label "disease" .
obo:ILL_2 a owl:Class ; rdfs:subClassOf obo:ILL_1 ; rdfs:label "viral disease" .
obo:ILL_3 a owl:Class ; rdfs:label "lung disease" ; rdfs:subClassOf obo:ILL_1 ,
    [ a owl:Restriction ; owl:onProperty obo:part_of ; owl:someValuesFrom obo:ILL_2 ] .
obo:ILL_4 a owl:Class ; rdfs:label "influenza" ; oio:hasExactSynonym "flu" ;
    rdfs:subClassOf obo:ILL_2 ;
    owl:equivalentClass [ a owl:Class ; owl:intersectionOf ( obo:ILL_3
        [ a owl:Restriction ; owl:onProperty obo:part_of ; owl:someValuesFrom obo:ILL_2 ] ) ] .
obo:ILL_9 a owl:Class ; rdfs:subClassOf obo:ILL_1 ; rdfs:label "miasma" ; owl:deprecated true .
"""
)
SKOS = (
    PREFIXES
    + """
@prefix : <http://example.org/ill/> .
:1 a skos:Concept ; skos:prefLabel "maladie"@fr , "disease"@en ; skos:narrower :2 .
:2 a skos:Concept ; skos:prefLabel "viral disease"@en .
:3 a skos:Concept ; skos:prefLabel "lung disease"@en ; skos:broader :1 .
:4 a skos:Concept ; skos:prefLabel "influenza"@en , "grippe"@fr ; skos:altLabel "flu"@en ;
    skos:notation "J10" ; skos:broader :2 , :3 .
"""
)


def written(folder, name, text):
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


@pytest.mark.parametrize(("name", "text"), [("a.obo", OBO), ("a.ttl", OWL), ("b.ttl", SKOS)])
def test_every_kind_says_the_same(tmp_path, name, text):
    ontology = ta.read_ontology(written(tmp_path, name, text))
    assert len(ontology.concepts) == 4
    flu = ontology.concept("flu")
    assert flu == ontology.concept("influenza")
    names = {ontology.name(one) for one in ontology.ancestors(flu)}
    assert names == {"influenza", "viral disease", "lung disease", "disease"}
    lung = ontology.ancestors(ontology.concept("lung disease"))
    assert {ontology.name(one) for one in lung} == {"lung disease", "disease"}
    assert ontology.concept("miasma") is None
    assert ontology.distance("lung disease", "viral disease") == pytest.approx(0.7369655941662062)


def test_names_of_obo(tmp_path):
    ontology = ta.read_ontology(written(tmp_path, "a.obo", OBO))
    assert ontology.concept("ILL:44") == "ILL:4"
    assert ontology.concept("grippe-like illness") is None


def test_names_of_owl_and_skos(tmp_path):
    owl = ta.read_ontology(written(tmp_path, "a.ttl", OWL))
    assert owl.concept("ILL:4") == owl.concept("ILL_4") == "http://purl.obolibrary.org/obo/ILL_4"
    path = written(tmp_path, "b.ttl", SKOS)
    english, french = ta.read_ontology(path), ta.read_ontology(path, language="fr")
    assert english.concept("J10") == english.concept("grippe") == "http://example.org/ill/4"
    assert english.name(english.concept("J10")) == "influenza"
    assert french.name(french.concept("flu")) == "grippe"
    assert french.name(french.concept("2")) == "viral disease"


@pytest.mark.parametrize(("suffix", "kind"), [(".owl", "xml"), (".rdf", "xml"), (".nt", "nt")])
def test_graphs_are_read_however_they_are_written(tmp_path, suffix, kind):
    rdflib = pytest.importorskip("rdflib")
    turtle = written(tmp_path, "a.ttl", OWL)
    other = tmp_path / f"a{suffix}"
    rdflib.Graph().parse(turtle, format="turtle").serialize(other, format=kind, encoding="utf-8")
    assert ta.read_ontology(other).concepts == ta.read_ontology(turtle).concepts


def test_a_parent_without_a_frame_is_a_concept(tmp_path):
    text = "format-version: 1.2\n\n[Term]\nid: A:1\nname: one\nis_a: B:7\n"
    assert ta.read_ontology(written(tmp_path, "a.obo", text)).roots == ("B:7",)


def test_nothing_outside_of_a_file_is_read(tmp_path):
    secret = written(tmp_path, "secret", "a label nobody may see")
    text = f"""<?xml version="1.0"?>
<!DOCTYPE rdf [<!ENTITY x SYSTEM "{secret.as_uri()}">]>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    xmlns:owl="http://www.w3.org/2002/07/owl#"
    xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#">
  <owl:Class rdf:about="http://a/b"><rdfs:label>seen &x;</rdfs:label></owl:Class>
</rdf:RDF>"""
    try:
        concepts = ta.read_ontology(written(tmp_path, "a.owl", text)).concepts
    except HierarchyError:
        return
    assert "nobody" not in str(concepts)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.obo", OBO + "\n[Term]\nid ILL:5\n", r"a\.obo, line 4\d: no OBO file"),
        ("a.obo", OBO.replace("name: disease", "name: disease\nis_a: ILL:4"), "is a cycle"),
        ("a.obo", "format-version: 1.2\n", r"a\.obo: An ontology needs at least one concept"),
        ("a.ttl", "@prefix", "cannot be read as turtle"),
        ("a.owl", "no xml", "cannot be read as xml"),
        ("a.csv", "", "Cannot tell how .*a.csv is written: expected a name ending in .obo"),
    ],
)
def test_damaged_files(tmp_path, name, text, message):
    with pytest.raises(HierarchyError, match=message):
        ta.read_ontology(written(tmp_path, name, text))


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(HierarchyError, match=r"none\.obo cannot be read: No such file"):
        ta.read_ontology(tmp_path / "none.obo")


def test_obo_files_have_one_language(tmp_path):
    with pytest.raises(ParameterError, match="`language` is for OWL and SKOS"):
        ta.read_ontology(written(tmp_path, "a.obo", OBO), language="fr")


@pytest.mark.parametrize(("module", "name"), [("fastobo", "a.obo"), ("rdflib", "a.ttl")])
def test_what_to_install_is_said(tmp_path, monkeypatch, module, name):
    monkeypatch.setitem(sys.modules, module, None)
    path = written(tmp_path, name, OBO if name == "a.obo" else OWL)
    with pytest.raises(MissingExtraError, match=rf"{module}.*pip install 'tacita\[ontologies\]'"):
        ta.read_ontology(path)


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"pth": "a.ttl"}, "takes path, language; found `pth`. Did you mean `path`"),
        (3, "needs the path of an ontology; found 3"),
        ({"path": "a.ttl", "language": 3}, "`language` is a word like `en`"),
    ],
)
def test_what_a_plan_says_of_a_file(said, message):
    with pytest.raises(HierarchyError, match=message):
        ta.read(pa.table({"ill": ["flu"]}), ontologies={"ill": {"file": said}})


def test_a_plan_names_a_file_beside_it(tmp_path):
    written(tmp_path, "terms.ttl", SKOS)
    written(tmp_path, "x.csv", "ill\n" + "grippe\nlung disease\n" * 6)
    written(
        tmp_path,
        "plan.yaml",
        "data:\n  source: x.csv\n  attributes:\n    ill:\n      role: confidential\n"
        "      ontology: {file: {path: terms.ttl, language: fr}}\n"
        "microdata:\n  waive: a test\n  steps:\n    - microaggregate: {attributes: ill, k: 3}\n",
    )
    ta.run(tmp_path / "plan.yaml", out=tmp_path / "out", seed=1)
    (tmp_path / "terms.ttl").unlink()  # the evidence holds what it says
    assert ta.verify(tmp_path / "out", source=tmp_path / "x.csv").verdict == "holds"
