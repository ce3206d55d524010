"""What several rooms share: what pages name in addresses and forms, and waiting for answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import Request
from fastapi.responses import Response

from tacita.app.asking import Question
from tacita.app.bench import Bench, bench_of
from tacita.app.jobs import Job
from tacita.app.projects import Project, Variant
from tacita.errors import InputError

Form = Mapping[str, Sequence[str]]
MANY = 200  # attributes of a page
LONGEST = 19  # digits of a number


def waiting(bench: Bench, project: Project, question: Question, request: Request) -> Response:
    """Show the job that finds an answer, and come back when it is over."""
    where = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    return bench.page("job.html.j2", job=question.job(bench, project), then=where)


def answer_page(
    request: Request, identifier: str, question: Question, template: str, **more: Any
) -> Response:
    """Show an answer, or the job that finds it."""
    bench = bench_of(request)
    project = bench.projects.get(identifier)
    found = question.answer(bench, project)
    if found is None:
        return waiting(bench, project, question, request)
    return bench.page(template, project=project, found=found, **more)


def start_of_page(first: int, attributes: Sequence[Any]) -> int:
    """Return the place of the first attribute of the page on which some attribute stands."""
    return max(min(first, len(attributes) - 1), 0) // MANY * MANY


def variant_of(project: Project, number: int) -> Variant:
    """Return a variant by its number.

    Raises:
        InputError: there is none of that number.
    """
    if not 0 <= number < len(project.variants):
        raise InputError(f"There is no variant {number}.")
    return project.variants[number]


def variant_in(project: Project, form: Form) -> Variant:
    """Return the variant that a page showed when its form was sent."""
    return variant_of(project, number_in(form, "variant"))


def number_in(form: Form, name: str) -> int:
    """Return a whole number of a form.

    Raises:
        InputError: there is none, which no page of the workbench sends.
    """
    said = (form.get(name) or ("",))[0]
    if not (said.isdecimal() and len(said) < LONGEST):
        raise InputError(f"Expected a number for `{name}`; load the page again.")
    return int(said)


def job_of(bench: Bench, project: Project, name: str, task: str) -> Job:
    """Return a job of a project by its name.

    Raises:
        InputError: there is none that does this task.
    """
    job = bench.jobs.get(name)
    if (job.project, job.task) != (project.identifier, task):
        raise InputError("There is no such job.")
    return job
