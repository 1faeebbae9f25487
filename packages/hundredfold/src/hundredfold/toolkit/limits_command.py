"""`hundredfold limits`: this machine's rates, measured, beside those of GPUs that are known."""

from __future__ import annotations

import click

from kernellens.plot import quantities as text


@click.command()
@click.option("--again", is_flag=True, help="Measure this machine again and keep the better rates.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def limits(again: bool, as_json: bool) -> None:
    """Show how fast this machine moves memory and calculates, beside GPUs that are known.

    The first time it measures, which takes some seconds; the rates are kept.
    """
    from gpusim import hardware
    from gpusim.hardware import gpus

    from . import calibrate

    here = [("this CPU", calibrate.cpu_rates(again))]
    if hardware.mode() == "gpu":
        here.append(("this GPU", calibrate.gpu_rates(again)))
    if as_json:
        import dataclasses
        import json

        known = {gpu.name: dataclasses.asdict(gpu) for gpu in gpus.known()}
        click.echo(json.dumps({"here": {name: dataclasses.asdict(r) for name, r in here}, "known": known}, indent=1))
        return
    rows = [(f"{name} ({rates.device})", rates) for name, rates in here] + [(gpu.name, gpu) for gpu in gpus.known()]
    wide = max(len(name) for name, _ in rows)
    click.echo(f"{'':<{wide}}  {'memory':>10}  {'float64':>14}  {'float32':>14}  {'reads 800 MB in':>15}")
    for name, rates in rows:
        click.echo(
            f"{name:<{wide}}  {text.byte_rate(rates.bandwidth):>10}  {_flops(rates.fp64):>14}  {_flops(rates.fp32):>14}"
            f"  {text.seconds(8e8 / rates.bandwidth):>15}"
        )
    click.echo(f"\nHere: measured {here[0][1].measured_at}, {here[0][1].method}.")
    click.echo("Known GPUs: data sheets, whose rates no program quite reaches; a float64 matrix product may be faster.")


def _flops(rate: float | None) -> str:
    return "unknown" if rate is None else text.flop_rate(rate)
