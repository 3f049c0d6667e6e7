/** Prints the table of required and measured figures, and marks missed ones. */

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

function verdictOf({ value, floor, ceiling, invalid }: Figure): Verdict {
  if (invalid !== undefined) return 'invalid';
  if (floor === undefined && ceiling === undefined) return '';
  // NaN counts as missed.
  return value >= (floor ?? Number.NEGATIVE_INFINITY) && value <= (ceiling ?? Number.POSITIVE_INFINITY)
    ? 'met'
    : 'missed';
}

export const FIGURE_HEAD = `${'what'.padEnd(58)}${'measured'.padStart(12)}${'asked for'.padStart(16)}${'aim'.padStart(10)}`;

function figureLine(figure: Figure): string {
  const { what, value, unit, floor, ceiling, aim, invalid } = figure;
  const asked = floor !== undefined ? `>= ${shown(floor)}` : ceiling !== undefined ? `<= ${shown(ceiling)}` : '';
  const verdict = verdictOf(figure);
  return (
    `${what}, ${unit}`.padEnd(58) +
    shown(value).padStart(12) +
    asked.padStart(16) +
    (aim === undefined ? '' : shown(aim)).padStart(10) +
    (verdict === '' ? '' : `   ${verdict}`) +
    (invalid === undefined ? '' : `: ${invalid}`)
  );
}

function shown(value: number): string {
  const decimals = Math.abs(value) >= 100 ? 0 : 2;
  return value.toLocaleString('en-US', { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

/** Collects the figures of one run and prints them as they arrive. */
export class FigureTable {
  readonly #figures: Figure[] = [];

  add(figure: Figure): void {
    this.#figures.push(figure);
    console.log(figureLine(figure));
  }

  sayMissed(): void {
    const missed = this.#figures.filter((figure) => verdictOf(figure) === 'missed').map(({ what }) => what);
    console.log(missed.length === 0 ? '\nNo requirement was missed.' : `\nMissed: ${missed.join('; ')}.`);
  }

  withVerdicts(): (Figure & { readonly verdict: Verdict })[] {
    return this.#figures.map((figure) => ({ ...figure, verdict: verdictOf(figure) }));
  }
}
