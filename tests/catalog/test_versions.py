from components import catalog


def test_minors_of_eks_come_oldest_first_with_the_end_of_their_standard_support() -> None:
    versions = catalog.kubernetes_versions("aws")
    minors = [tuple(map(int, v.minor.split("."))) for v in versions]
    ends = [v.end_of_standard_support for v in versions if v.end_of_standard_support]

    assert minors == sorted(minors)
    assert ends == sorted(ends)


def test_extended_support_ends_after_standard_support() -> None:
    for version in catalog.kubernetes_versions("aws"):
        if version.end_of_standard_support and version.end_of_extended_support:
            assert version.end_of_extended_support > version.end_of_standard_support


def test_an_end_that_no_source_gives_is_none() -> None:
    newest = catalog.kubernetes_versions("aws")[-1]

    assert newest.minor == "1.36"
    assert newest.end_of_standard_support is None
