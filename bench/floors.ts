/** Collects required and measured figures of a run, prints them, and marks those that were missed or measured on a busy machine. */
import { type Noise, NoiseWatch, tooNoisy } from './machine.ts';
import { shown, Table } from './report.ts';

export interface Figure {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  /** Minimum. */
  readonly floor?: number;
  /** Maximum. */
  readonly ceiling?: number;
  readonly aim?: number;
  /** Why the figure is invalid; then it is neither met nor missed. */
  readonly invalid?: string | undefined;
}

type Verdict = 'met' | 'missed' | 'invalid' | '';

/** Units of figures that do not depend on other load. */
const STEADY: ReadonlySet<string> = new Set(['bytes', 'MB', 'offers', 'calls', 'rounds', 'kills', 'writes', 'files']);

export function verdictOf({ value, floor, ceiling, invalid }: Figure): Verdict {
  if (invalid !== undefined) return 'invalid';
  if (floor === undefined && ceiling === undefined) return '';
  // NaN counts as missed.
  return value >= (floor ?? Number.NEGATIVE_INFINITY) && value <= (ceiling ?? Number.POSITIVE_INFINITY)
    ? 'met'
    : 'missed';
}

/** Replaces a figure by the reason if the machine was too noisy. CPU times and, if `showsNoisy`, all figures are marked with `~` instead. */
export function figureCells(figure: Figure, noise: Noise | undefined, showsNoisy: boolean): readonly string[] {
  const { what, value, unit, floor, ceiling, aim, invalid } = figure;
  const text = (figured: number) =>
    STEADY.has(unit) && Number.isInteger(figured) ? shown(figured, 0) : shown(figured);
  const asked = floor !== undefined ? `>= ${text(floor)}` : ceiling !== undefined ? `<= ${text(ceiling)}` : '';
  const required = aim === undefined ? asked : `${asked} (goal ${shown(aim)})`;
  const noisy = STEADY.has(unit) ? undefined : tooNoisy(noise);
  const isShown = noisy === undefined || showsNoisy || unit.startsWith('us/');
  const verdict = [noisy === undefined ? verdictOf(figure) : 'too noisy', invalid ?? noisy].filter(Boolean).join(': ');
  return [`${what}, ${unit}`, isShown ? (noisy === undefined ? '' : '~') + text(value) : '-', required, verdict];
}

/** The noise of a figure is that of the time since the figure before. */
export class FigureTable extends Table {
  readonly #showsNoisy: boolean;
  readonly #watch = new NoiseWatch();
  readonly #missed: string[] = [];

  constructor(title: string, showsNoisy: boolean) {
    super(title, ['what', 'measured', 'required', 'verdict']);
    this.#showsNoisy = showsNoisy;
    console.log(this.head);
  }

  figure(figure: Figure): void {
    const cells = figureCells(figure, this.#watch.next(), this.#showsNoisy);
    if (verdictOf(figure) === 'missed' && !cells[3]?.startsWith('too noisy')) this.#missed.push(figure.what);
    console.log(this.add(cells));
  }

  /** Returns whether a requirement was missed. */
  sayMissed(): boolean {
    const missed = this.#missed;
    console.log(missed.length === 0 ? '\nNo requirement was missed.' : `\nMissed: ${missed.join('; ')}.`);
    return missed.length > 0;
  }
}
