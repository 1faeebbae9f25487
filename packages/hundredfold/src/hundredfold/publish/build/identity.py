"""Which cell of the committed notebook each cell continues.

Ids decide whether a learner's copy merges and whether a diff is readable, so a cell keeps its id while it is edited,
and inserting a cell renames nothing.  A first build numbers the cells, ``slug-01`` onwards; later builds match the new
cells with the committed ones and give new cells the next free number.  The result depends on the source and the
committed notebook only: building twice gives the same ids.
"""

import re
from difflib import SequenceMatcher

_VALID = re.compile(r"^[a-zA-Z0-9_-]{1,64}$")
_ALIKE = 0.5  # how similar, of 1, two texts must be to count as one cell edited

Key = tuple[str, str]  # (kind, source)


def match(new: list[Key], old: list[Key]) -> list[int | None]:
    """For each new cell the index of the old cell it continues, or None; no old cell is continued twice."""
    found: list[int | None] = [None] * len(new)
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            found[j1:j2] = range(i1, i2)
    free = sorted(set(range(len(old))) - {i for i in found if i is not None})
    for j, i in enumerate(found):  # cells that only moved
        if i is None and (k := next((k for k in free if old[k] == new[j]), None)) is not None:
            found[j] = k
            free.remove(k)
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "replace":
            olds = [i for i in range(i1, i2) if i in free]
            news = [j for j in range(j1, j2) if found[j] is None]
            for j, i in _edited(news, olds, new, old):
                found[j] = i
                free.remove(i)
    return found


def _edited(news: list[int], olds: list[int], new: list[Key], old: list[Key]):
    """Pair the cells of a replaced stretch: by position where the kinds agree, else by likeness, in order."""
    if [new[j][0] for j in news] == [old[i][0] for i in olds]:
        yield from zip(news, olds, strict=True)
        return
    start = 0
    for j in news:
        alike = [
            (SequenceMatcher(None, old[i][1], new[j][1], autojunk=False).ratio(), -k, i)
            for k, i in enumerate(olds)
            if k >= start and old[i][0] == new[j][0]
        ]
        if alike and max(alike)[0] >= _ALIKE:
            _, k, i = max(alike)
            start = 1 - k
            yield j, i


def ids(matched: list[int | None], old_ids: list[str], slug: str) -> list[str]:
    """An id for each cell: the matched cell's, else the next number."""
    kept = [old_ids[i] if i is not None else "" for i in matched]
    seen: set[str] = set()
    for j, name in enumerate(kept):
        if not _VALID.match(name) or name in seen:
            kept[j] = ""
        seen.add(name)
    number = max((int(m[1]) for i in old_ids if (m := re.fullmatch(rf"{re.escape(slug)}-(\d+)", i))), default=0)
    for j, name in enumerate(kept):
        if not name:
            number += 1
            kept[j] = f"{slug}-{number:02d}"
    return kept
