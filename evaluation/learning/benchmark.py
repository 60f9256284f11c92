"""`segjt benchmark uci`, `genes` and `text`: run what is missing, then write the tables and the report."""

from __future__ import annotations

import functools
import hashlib
import json
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from segjt.evaluation.learning import report, result_files, tables
from segjt.evaluation.learning.experiment import Experiment, PaperCell, Setting, Trial
from segjt.evaluation.learning.registry import data_source, experiments
from segjt.evaluation.store import Store
from segjt.evaluation.table_files import write_tables
from segjt.evaluation.tasks import Problem, run_tasks
from segjt.evaluation.unit_of_work import UnitResult
from segjt.evaluation.versions import LEARNING
from segjt.fields import suggestion
from segjt.runtime.threads import one_blas_thread

TITLES = {
    "uci": "Learning experiments on UCI data",
    "genes": "Learning experiments on gene expressions",
    "text": "Learning experiments on texts",
}


@dataclass(frozen=True)
class LearningUnit:
    """The settings of an experiment that are run together on a data set."""

    experiment: str
    settings: tuple[Setting, ...]
    quick: bool

    @property
    def method(self) -> str:
        """Whose code it runs, for the store."""
        return f"{LEARNING} {self.experiment[:3]}"

    def key(self) -> str:
        """Return the unit as JSON, the same for equal units."""
        return json.dumps([self.experiment, self.quick, list(self.settings)], sort_keys=True)


@dataclass(frozen=True)
class LearningTask:
    """A unit to be run on a data set."""

    benchmark: str
    path: Path
    data: str
    digest: str
    unit: LearningUnit

    @property
    def title(self) -> str:
        """The experiment, the data set and the first setting."""
        return f"{self.unit.experiment}, {self.data}, {setting_key(self.unit.settings[0])}"


@dataclass(frozen=True)
class LearningBenchmarkResult:
    """The result of a run: its tables, what had to be left out, and the tables as text."""

    tables: list[tables.ExperimentTable]
    problems: list[Problem]
    text: str


def chosen_experiments(benchmark: str, names: Sequence[str] | None) -> list[Experiment[Any]]:
    """Return the experiments of a benchmark, or those with the given names."""
    by_name = {experiment.name: experiment for experiment in experiments(benchmark)}
    for name in names or ():
        if name not in by_name:
            raise ValueError(
                f"no experiment of {benchmark} is called {name!r}{suggestion(name, by_name)}; there are "
                f"{', '.join(by_name)}"
            )
    return [experiment for name, experiment in by_name.items() if names is None or name in names]


def run_learning_benchmark(
    benchmark: str,
    chosen: Sequence[Experiment[Any]],
    data: str | None,
    store: Store,
    folder: Path,
    workers: int,
    quick: bool = False,
    quiet: bool = False,
) -> LearningBenchmarkResult:
    """Run all units that the store lacks and write the tables to the folder."""
    cells = {experiment.name: experiment.cells(quick) for experiment in chosen}
    tasks, problems = plan_tasks(benchmark, chosen, cells, data, quick)
    problems += run_tasks(store, benchmark, tasks, run_learning_task, workers, quiet)
    experiment_tables = [
        tables.experiment_table(experiment, cells[experiment.name], read_trials(store, tasks, experiment.name))
        for experiment in chosen
    ]
    title = TITLES[benchmark] + (" (quick: few data sets, coarse grids, few runs)" if quick else "")
    write_tables(
        folder,
        result_files.table_contents(experiment_tables, benchmark, title),
        report.learning_report(experiment_tables, title),
    )
    text = f"{tables.markdown_text(experiment_tables, title)}\n{tables.times_table(experiment_tables)}\n"
    if any(table.verdicts() for table in experiment_tables):
        text += f"\n{tables.summary_text(experiment_tables)}.\n"
    return LearningBenchmarkResult(experiment_tables, problems, text)


def plan_tasks(
    benchmark: str,
    chosen: Sequence[Experiment[Any]],
    cells: Mapping[str, Sequence[PaperCell]],
    data: str | None,
    quick: bool,
) -> tuple[list[LearningTask], list[Problem]]:
    """Return the tasks of the experiments, and a problem for each data set that is not there."""
    files = data_source(benchmark).find(data)
    wanted = {cell.data for of_experiment in cells.values() for cell in of_experiment if cell.settings}
    problems = [
        Problem(name, f"there is no such data set among {next(iter(files.values())).parent}/*.csv", True)
        for name in sorted(wanted - set(files))
    ]
    digests = {name: hashlib.sha256(files[name].read_bytes()).hexdigest() for name in sorted(wanted & set(files))}
    tasks = [
        LearningTask(benchmark, files[name], name, digests[name], LearningUnit(experiment.name, settings, quick))
        for experiment in chosen
        for name, settings in units_of(experiment, cells[experiment.name])
        if name in digests
    ]
    return tasks, problems


def units_of(experiment: Experiment[Any], cells: Sequence[PaperCell]) -> list[tuple[str, tuple[Setting, ...]]]:
    """Return the units of an experiment: a data set, and the settings that agree in what the experiment shares."""
    groups: dict[tuple[str, str], dict[str, Setting]] = {}
    for cell in cells:
        for setting in cell.settings:
            shared = json.dumps([setting.get(name) for name in experiment.shared])
            groups.setdefault((cell.data, shared), {})[setting_key(setting)] = setting
    return [(data, tuple(settings.values())) for (data, _), settings in groups.items()]


def setting_key(setting: Setting) -> str:
    """Return a setting as JSON, the same for equal settings."""
    return json.dumps(setting, sort_keys=True)


def run_learning_task(task: LearningTask) -> UnitResult:
    """Run one unit, in the process of a worker."""
    data = read_data(task.benchmark, task.path)
    experiment = named_experiment(task.benchmark, task.unit.experiment)
    start, started = time.perf_counter(), time.process_time()
    with one_blas_thread():
        trials = experiment.run(data, task.unit.settings, task.unit.quick)
    seconds, total = time.process_time() - started, time.perf_counter() - start
    share = seconds / len(trials)
    each = [round(share if trial.seconds is None else trial.seconds, 4) for trial in trials]
    scores = [[math.nan if trial.criterion is None else trial.criterion, *trial.scores] for trial in trials]
    return UnitResult(scores, each, round(total, 4))


@functools.lru_cache(maxsize=2)
def read_data(benchmark: str, path: Path) -> Any:
    """Return a data set; units of the same set follow one another."""
    return data_source(benchmark).read(path)


@functools.lru_cache
def named_experiment(benchmark: str, name: str) -> Experiment[Any]:
    """Return the experiment of a benchmark by its name."""
    return chosen_experiments(benchmark, [name])[0]


def read_trials(store: Store, tasks: Sequence[LearningTask], experiment: str) -> tables.Trials:
    """Return the trials of an experiment that are in the store, with their seconds, by data set and setting."""
    trials: tables.Trials = {}
    for task in tasks:
        if task.unit.experiment != experiment:
            continue
        result = store.get(task.benchmark, task.digest, task.unit)
        if result is not None:
            for setting, (criterion, *scores), seconds in zip(
                task.unit.settings, result.scores, result.seconds, strict=True
            ):
                trial = Trial(scores, None if math.isnan(criterion) else criterion)
                trials[task.data, setting_key(setting)] = trial, seconds
    return trials
