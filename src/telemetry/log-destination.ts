/** In charge of where the log goes: standard error, as JSON lines, or readable when a person is looking. */
import { type DestinationStream, pino } from 'pino';

/** Standard output is for people and for programs that read what a command prints. */
const STANDARD_ERROR = 2;

export async function openLogDestination(isTerminal: boolean): Promise<DestinationStream> {
  if (!isTerminal) return pino.destination(STANDARD_ERROR);
  // Loaded only here: a server under a supervisor has no use for it.
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
