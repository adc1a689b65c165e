from concurrent.futures import ThreadPoolExecutor

import pytest

from untie.cli.streams import UserError, check_output


def test_outputs_are_tried_at_the_same_time_and_leave_nothing(tmp_path):
    output, own = tmp_path / "out.csv", tmp_path / ".out.csv-probe"  # a name that was once tried
    own.write_text("a user's own")
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: check_output(output), range(1_000)))
    assert [path.name for path in tmp_path.iterdir()] == [own.name]
    assert own.read_text() == "a user's own"


def test_a_link_in_place_of_the_old_probe_is_not_followed(tmp_path):
    elsewhere = tmp_path / "elsewhere"
    (tmp_path / ".out.csv-probe").symlink_to(elsewhere)
    check_output(tmp_path / "out.csv")
    assert not elsewhere.exists()
    assert (tmp_path / ".out.csv-probe").is_symlink()


def test_a_folder_that_is_not_there_is_told(tmp_path):
    with pytest.raises(UserError, match="does not exist; make it first"):
        check_output(tmp_path / "none" / "out.csv")
