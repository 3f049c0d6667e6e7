/** Reads log lines from the output of a server process. */
import { waitUntil } from './wait-until.ts';

export type LogLine = Readonly<Record<string, unknown>>;

const LINES_MS_MAX = 60_000;

/** Returns the log lines in order of arrival, or only those of `event` if given. */
function logLines(output: string, event?: string): LogLine[] {
  return output
    .split('\n')
    .filter((line) => line.startsWith('{"level"'))
    .map((line): LogLine => JSON.parse(line))
    .filter((line) => event === undefined || line.event === event);
}

/** Waits for this many lines of the event, because the log has its own pipe, which may lag behind. */
export function waitForLines(server: { output: () => string }, event: string, count: number): Promise<LogLine[]> {
  return waitUntil(`${count} lines of ${event}`, LINES_MS_MAX, async () => {
    const lines = logLines(wholeLines(server.output()), event);
    return lines.length >= count ? lines : undefined;
  });
}

/** Drops an incomplete last line. */
function wholeLines(output: string): string {
  return output.slice(0, output.lastIndexOf('\n') + 1);
}
