"""What a page says, apart from how it is set: to compare pages that other versions wrote.

A template library may write the same page with other spaces, quotes or escapes, a drawing library
may put the same marks elsewhere. Text, elements, attributes, comments and the words in drawings are
what a page says; of a drawing its shapes are not.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser
from itertools import zip_longest

from tacita.errors import shown

SPACE = re.compile(r"[ \t\r\n\f]+")
DRAWING = "svg"
SHAPES = frozenset({
    *(DRAWING, "g", "path", "rect", "line", "circle", "polygon", "polyline", "ellipse"),
    *("text", "tspan", "defs", "clippath", "marker", "lineargradient", "stop"),
})  # fmt: skip
WORDS = frozenset({"aria-label", "aria-description", "title", "alt", "href", "xlink:href"})
Token = tuple[str, ...]


def difference(page: bytes, again: bytes, *, redrawn: bool) -> str:
    r"""Say where two pages say different things; nothing if they say the same.

    Args:
        page: a page as it lies there.
        again: the same, written again.
        redrawn: whether another version of the drawing library is here than drew the page.

    >>> difference(b"<p class='a'>k is  3</p>", b'<p class="a">k is\n3</p>', redrawn=False)
    ''
    >>> difference(b"<p>k is 5</p>", b"<p>k is 3</p>", redrawn=False)
    "it says 'k is 5' where it should say 'k is 3'"
    """
    try:
        tokens = [tokens_of(one.decode("utf-8"), redrawn=redrawn) for one in (page, again)]
    except UnicodeDecodeError:
        return "it is not UTF-8"
    for one, other in zip_longest(*tokens, fillvalue=("", "nothing")):
        if one != other:
            return f"it says {shown(one[-1])} where it should say {shown(other[-1])}"
    return ""


def tokens_of(page: str, *, redrawn: bool) -> list[Token]:
    """Return what a page says, in its order.

    Args:
        page: the page.
        redrawn: whether to pass over the shapes of drawings, with where they lie.
    """
    reader = _Reader(redrawn=redrawn)
    reader.feed(page)
    reader.close()
    reader.end_text()
    return reader.tokens


class _Reader(HTMLParser):
    """Collects what a page says."""

    def __init__(self, *, redrawn: bool) -> None:
        super().__init__(convert_charrefs=True)
        self.tokens: list[Token] = []
        self._redrawn, self._depth, self._text = redrawn, 0, ""

    def end_text(self) -> None:
        """Put down the text that was read so far."""
        text = SPACE.sub(" ", self._text).strip(" ")
        self._text = ""
        if text:
            self.tokens.append(("text", text))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Put down an element with its attributes, or the words of a shape."""
        if tag == DRAWING:
            self._depth += 1
        said = sorted((name, SPACE.sub(" ", value or "")) for name, value in attrs)
        if self._is_shape(tag):
            words = [(f"{tag} {name}", value) for name, value in said if name in WORDS]
            if words:
                self._put(*words)
            return
        self._put(("element", *(part for pair in said for part in pair), f"<{tag}>"))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Read `<br/>` as `<br></br>`: the one is as good as the other."""
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        """Put down the end of an element."""
        if self._is_shape(tag):
            self.end_text()
        else:
            self._put(("end", f"</{tag}>"))
        if tag == DRAWING:
            self._depth = max(self._depth - 1, 0)

    def handle_data(self, data: str) -> None:
        """Gather text; it may come in parts."""
        self._text += data

    def handle_comment(self, data: str) -> None:
        """Put down a comment, which readers of the source see."""
        self._put(("comment", data))

    def handle_decl(self, decl: str) -> None:
        """Put down the kind of document."""
        self._put(("declaration", decl.lower()))

    def handle_pi(self, data: str) -> None:
        """Put down an instruction to programs."""
        self._put(("instruction", data))

    def unknown_decl(self, data: str) -> None:
        """Put down any other declaration."""
        self._put(("declaration", data))

    def _is_shape(self, tag: str) -> bool:
        return self._redrawn and self._depth > 0 and tag in SHAPES

    def _put(self, *tokens: Token) -> None:
        self.end_text()
        self.tokens.extend(tokens)
