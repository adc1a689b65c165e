import pytest

from untie_paper.datasets._columns import parse


def test_cells_stay_as_they_are():
    lines = ['a b,class,"x,y"\n', " 1,u,?\n", "\n", 'NA,v,"two\n', 'lines"\n']
    assert parse(lines) == {
        "a b": [" 1", "NA"],
        "class": ["u", "v"],
        "x,y": ["?", "two\nlines"],
    }


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "no column 'class'"),
        ("a,b\n1,2\n", r"no column 'class' \(it has \['a', 'b'\]\)"),
        ("class\n1\n", "no column but 'class'"),
        ("a,a,class\n1,2,3\n", r"columns \['a'\] occur more than once"),
        ("a,class\n", "no rows"),
        ("a,class\n1,2\n1\n", "line 3 has 1 cells, the header has 2"),
        ("a,class\n1,2,3\n", "line 2 has 3 cells, the header has 2"),
    ],
)
def test_malformed(text, problem):
    with pytest.raises(ValueError, match=problem):
        parse(text.splitlines(keepends=True))
