/**
 * In charge of the progress bar: one line on a terminal, drawn again and again, gone at the end. Where nobody watches
 * there is none, so that logs and pipes hold results only.
 */
import type { Shell, Terminal } from './shell.ts';

export interface Progress {
  /** `total` may be unknown: then only what was done is shown. */
  show(done: number, total?: number): void;
  end(): void;
}

const REDRAW_MS = 100;
const BAR_CHARACTERS_MAX = 40;
const CLEAR_LINE = '\r\u001B[2K';

/** `what` names the work, `unit` what is counted. */
export function startProgress(shell: Shell, what: string, unit: string): Progress {
  const { terminal } = shell;
  if (terminal === undefined) return { show: () => {}, end: () => {} };
  const startMs = performance.now();
  let drawnMs = Number.NEGATIVE_INFINITY;
  return {
    show: (done, total) => {
      const nowMs = performance.now();
      if (nowMs - drawnMs < REDRAW_MS) return;
      drawnMs = nowMs;
      terminal.write(CLEAR_LINE + progressLine(terminal, { what, unit, done, total, elapsedMs: nowMs - startMs }));
    },
    end: () => terminal.write(CLEAR_LINE),
  };
}

export interface Drawn {
  readonly what: string;
  readonly unit: string;
  readonly done: number;
  readonly total: number | undefined;
  readonly elapsedMs: number;
}

export function progressLine(
  { columns }: Pick<Terminal, 'columns'>,
  { what, unit, done, total, elapsedMs }: Drawn,
): string {
  const rate = elapsedMs > 0 ? Math.round((done * 1000) / elapsedMs) : 0;
  const counted = `${done.toLocaleString('en-US')}${total ? ` of ${total.toLocaleString('en-US')}` : ''} ${unit}`;
  const tail = `${counted}, ${rate.toLocaleString('en-US')}/s${timeLeft(done, total, elapsedMs)}`;
  const room = Math.min(BAR_CHARACTERS_MAX, columns - what.length - tail.length - 5);
  const bar = total && room >= 5 ? `[${barOf(done / total, room)}] ` : '';
  return `${what} ${bar}${tail}`.slice(0, Math.max(columns - 1, 0));
}

function barOf(share: number, characters: number): string {
  const full = Math.round(Math.min(Math.max(share, 0), 1) * characters);
  return '#'.repeat(full) + '.'.repeat(characters - full);
}

function timeLeft(done: number, total: number | undefined, elapsedMs: number): string {
  if (!total || done <= 0 || done >= total) return '';
  return `, ${Math.ceil((elapsedMs * (total - done)) / done / 1000)} s left`;
}
