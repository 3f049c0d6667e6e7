/** Opens the log's destination: standard error, as JSON lines, or readable text on a terminal. */
import { type DestinationStream, pino } from 'pino';

/** Standard output is reserved for command output, which programs may read. */
const STANDARD_ERROR = 2;

export async function openLogDestination(isTerminal: boolean): Promise<DestinationStream> {
  if (!isTerminal) return pino.destination(STANDARD_ERROR);
  // Loaded on demand: a server without a terminal does not need it.
  const { PinoPretty } = await import('pino-pretty');
  return PinoPretty({
    destination: STANDARD_ERROR,
    sync: true,
    messageKey: 'message',
    singleLine: true,
    translateTime: 'SYS:HH:MM:ss',
    errorLikeObjectKeys: ['error'],
  });
}
