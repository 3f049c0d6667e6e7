/** In charge of reading the log of a server process among everything that it printed. */
import { waitUntil } from './wait-until.ts';

export type LogLine = Readonly<Record<string, unknown>>;

const LINES_MS_MAX = 60_000;

/** In the order in which they came; those of one event where one is named. */
function logLines(output: string, event?: string): LogLine[] {
  return output
    .split('\n')
    .filter((line) => line.startsWith('{"level"'))
    .map((line): LogLine => JSON.parse(line))
    .filter((line) => event === undefined || line.event === event);
}

/** Waits for that many lines of the event: the log has a pipe of its own, which may be behind what else is seen. */
export function waitForLines(server: { output: () => string }, event: string, count: number): Promise<LogLine[]> {
  return waitUntil(`${count} lines of ${event}`, LINES_MS_MAX, async () => {
    const lines = logLines(wholeLines(server.output()), event);
    return lines.length >= count ? lines : undefined;
  });
}

/** Without the last one where it is still being read. */
function wholeLines(output: string): string {
  return output.slice(0, output.lastIndexOf('\n') + 1);
}
