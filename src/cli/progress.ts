/**
 * Draws a progress bar on one line of a terminal and removes it at the end. Without a terminal nothing is drawn, so that
 * logs and pipes contain results only.
 */
import type { Shell, Terminal } from './shell.ts';

/** Disposing it removes the bar. Call `end` to remove it earlier, before a result is printed. */
export interface Progress extends Disposable {
  /** `total` may be unknown. Then only the finished work is shown. */
  show(done: number, total?: number, more?: ProgressMore): void;
  end(): void;
}

export interface ProgressMore {
  /** Share of the work that is done, from 0 to 1, if the total is unknown. */
  readonly share?: number;
  /** Shown at the end of the line. */
  readonly note?: string;
}

const REDRAW_MS = 100;
const BAR_CHARACTERS_MAX = 40;
const CLEAR_LINE = '\r\u001B[2K';

/** `what` names the work; `unit` names the counted things. */
export function startProgress(shell: Shell, what: string, unit: string): Progress {
  const { terminal } = shell;
  if (terminal === undefined) return { show: () => {}, end: () => {}, [Symbol.dispose]: () => {} };
  const startMs = performance.now();
  let drawnMs = Number.NEGATIVE_INFINITY;
  const end = () => terminal.write(CLEAR_LINE);
  return {
    show: (done, total, more) => {
      const nowMs = performance.now();
      if (nowMs - drawnMs < REDRAW_MS) return;
      drawnMs = nowMs;
      const drawn = { what, unit, done, total, elapsed_ms: nowMs - startMs, ...more };
      terminal.write(CLEAR_LINE + progressLine(terminal, drawn));
    },
    end,
    [Symbol.dispose]: end,
  };
}

export interface Drawn extends ProgressMore {
  readonly what: string;
  readonly unit: string;
  readonly done: number;
  readonly total: number | undefined;
  readonly elapsed_ms: number;
}

export function progressLine({ columns }: Pick<Terminal, 'columns'>, drawn: Drawn): string {
  const { what, unit, done, total, elapsed_ms, note } = drawn;
  const share = drawn.share ?? (total ? done / total : undefined);
  const rate = elapsed_ms > 0 ? Math.round((done * 1000) / elapsed_ms) : 0;
  const counted = `${done.toLocaleString('en-US')}${total ? ` of ${total.toLocaleString('en-US')}` : ''} ${unit}`;
  const left = `${timeLeft(share, elapsed_ms)}${note === undefined ? '' : `, ${note}`}`;
  const tail = `${counted}, ${rate.toLocaleString('en-US')}/s${left}`;
  const room = Math.min(BAR_CHARACTERS_MAX, columns - what.length - tail.length - 5);
  const bar = share !== undefined && room >= 5 ? `[${barOf(share, room)}] ` : '';
  return `${what} ${bar}${tail}`.slice(0, Math.max(columns - 1, 0));
}

function barOf(share: number, characters: number): string {
  const full = Math.round(Math.min(Math.max(share, 0), 1) * characters);
  return '#'.repeat(full) + '.'.repeat(characters - full);
}

function timeLeft(share: number | undefined, elapsed_ms: number): string {
  if (share === undefined || share <= 0 || share >= 1) return '';
  return `, ${Math.ceil((elapsed_ms * (1 - share)) / share / 1000)} s left`;
}
