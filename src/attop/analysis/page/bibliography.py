"""How to cite the methods: BibTeX of the papers their references name."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["BIBLIOGRAPHY", "Entry", "cited_in"]


@dataclass(frozen=True)
class Entry:
    """A publication; `called` is how references of methods name it."""

    called: str
    kind: str
    key: str
    fields: tuple[tuple[str, str], ...]

    @property
    def bibtex(self) -> str:
        """The entry as BibTeX."""
        fields = "".join(f",\n  {name} = {{{value}}}" for name, value in self.fields)
        return f"@{self.kind}{{{self.key}{fields}\n}}"


def _entry(called: str, kind: str, key: str, **fields: str) -> Entry:
    return Entry(called, kind, key, tuple(fields.items()))


BIBLIOGRAPHY = (
    _entry(
        "Boyd, Cortes, Mohri, Radovanovic (2012)",
        "inproceedings",
        "boyd2012accuracy",
        author="Boyd, Stephen and Cortes, Corinna and Mohri, Mehryar and Radovanovic, Ana",
        title="Accuracy at the Top",
        booktitle="Advances in Neural Information Processing Systems 25",
        pages="953--961",
        year="2012",
    ),
    _entry(
        "Kar, Narasimhan, Jain (2015)",
        "inproceedings",
        "kar2015surrogate",
        author="Kar, Purushottam and Narasimhan, Harikrishna and Jain, Prateek",
        title="Surrogate Functions for Maximizing Precision at the Top",
        booktitle="Proceedings of the 32nd International Conference on Machine Learning",
        pages="189--198",
        year="2015",
    ),
    _entry(
        "Kar, Narasimhan, Jain (2014)",
        "inproceedings",
        "kar2014online",
        author="Kar, Purushottam and Narasimhan, Harikrishna and Jain, Prateek",
        title="Online and Stochastic Gradient Methods for Non-decomposable Loss Functions",
        booktitle="Advances in Neural Information Processing Systems 27",
        pages="694--702",
        year="2014",
    ),
    _entry(
        "Hiranandani et al. (2020)",
        "inproceedings",
        "hiranandani2020optimization",
        author="Hiranandani, Gaurush and Vijitbenjaronk, Warut and Koyejo, Sanmi and Jain, Prateek",
        title="Optimization and Analysis of the pAp@k Metric for Recommender Systems",
        booktitle="Proceedings of the 37th International Conference on Machine Learning",
        pages="4260--4270",
        year="2020",
    ),
    _entry(
        "Budhiraja et al. (2020)",
        "article",
        "budhiraja2020rich",
        author="Budhiraja, Amar and Hiranandani, Gaurush and Yarrabelly, Navya and Choure, Ayush and Koyejo, "
        "Oluwasanmi and Jain, Prateek",
        title="Rich-Item Recommendations for Rich-Users: Exploiting Dynamic and Static Side Information",
        journal="arXiv preprint arXiv:2001.10495",
        year="2020",
    ),
    _entry(
        "Rudin (2005)",
        "inproceedings",
        "rudin2006ranking",
        author="Rudin, Cynthia",
        title="Ranking with a P-Norm Push",
        booktitle="Learning Theory (COLT 2006)",
        pages="589--604",
        year="2006",
    ),
    _entry(
        "Freund et al. (2003)",
        "article",
        "freund2003efficient",
        author="Freund, Yoav and Iyer, Raj and Schapire, Robert E. and Singer, Yoram",
        title="An Efficient Boosting Algorithm for Combining Preferences",
        journal="Journal of Machine Learning Research",
        volume="4",
        pages="933--969",
        year="2003",
    ),
    _entry(
        "Joachims (2005)",
        "inproceedings",
        "joachims2005support",
        author="Joachims, Thorsten",
        title="A Support Vector Method for Multivariate Performance Measures",
        booktitle="Proceedings of the 22nd International Conference on Machine Learning",
        pages="377--384",
        year="2005",
    ),
    _entry(
        "Narasimhan and Agarwal (2017)",
        "article",
        "narasimhan2017support",
        author="Narasimhan, Harikrishna and Agarwal, Shivani",
        title="Support Vector Algorithms for Optimizing the Partial Area under the {ROC} Curve",
        journal="Neural Computation",
        volume="29",
        number="7",
        pages="1919--1963",
        year="2017",
    ),
    _entry(
        "Agarwal (2011)",
        "inproceedings",
        "agarwal2011infinite",
        author="Agarwal, Shivani",
        title="The Infinite Push: A New Support Vector Ranking Algorithm that Directly Optimizes Accuracy at "
        "the Absolute Top of the List",
        booktitle="Proceedings of the SIAM International Conference on Data Mining",
        pages="839--850",
        year="2011",
    ),
    _entry(
        "Li, Jin, Zhou (2014)",
        "inproceedings",
        "li2014top",
        author="Li, Nan and Jin, Rong and Zhou, Zhi-Hua",
        title="Top Rank Optimization in Linear Time",
        booktitle="Advances in Neural Information Processing Systems 27",
        pages="1502--1510",
        year="2014",
    ),
    _entry(
        "Ricamato and Tortorella (2011)",
        "article",
        "ricamato2011partial",
        author="Ricamato, Maria Teresa and Tortorella, Francesco",
        title="Partial {AUC} Maximization in a Linear Combination of Dichotomizers",
        journal="Pattern Recognition",
        volume="44",
        pages="2669--2677",
        year="2011",
    ),
    _entry(
        "scikit-learn",
        "article",
        "pedregosa2011scikit",
        author="Pedregosa, Fabian and Varoquaux, Gael and Gramfort, Alexandre and others",
        title="Scikit-learn: Machine Learning in {P}ython",
        journal="Journal of Machine Learning Research",
        volume="12",
        pages="2825--2830",
        year="2011",
    ),
    _entry(
        "attop",
        "software",
        "attop",
        author="{The attop developers}",
        title="attop: accuracy at the top",
        version="0.1.0",
    ),
)


def cited_in(references: Iterable[str]) -> list[Entry]:
    """Return the entries that at least one of the references names, in the bibliography's order."""
    text = "\n".join(references)
    return [entry for entry in BIBLIOGRAPHY if entry.called in text]
