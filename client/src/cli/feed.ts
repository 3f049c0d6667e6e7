/** Commands for the change feed. */
import { toJson } from '../json.ts';
import { signWebhook } from '../webhooks.ts';
import type { Commands, Run } from './command.ts';
import { print, printable, say } from './terminal.ts';
import { UsageError } from './usage.ts';

const OPTIONS = {
  after: { value: 'cursor', about: 'begin after this event (default: the oldest)' },
  types: { value: 'types', about: 'only these types, separated by commas' },
} as const;
const FORWARD_MS_MAX = 10_000;
/** Only this command and the program behind it know the secret. */
const SECRET_BYTES = 24;

export const FEED_COMMANDS: Commands = {
  events: {
    takes: '',
    about: 'Print the events of the account, one JSON object a line.',
    options: { ...OPTIONS, follow: { about: 'wait for new events until Ctrl+C' } },
    async run(run) {
      for await (const event of eventsOf(run, await run.client(), !run.is('follow'))) print(toJson(event));
      return undefined;
    },
  },
  listen: {
    takes: '',
    about:
      'Receive new events and post them as signed webhooks to a local program, to develop it without a public address.',
    options: {
      ...OPTIONS,
      'forward-to': {
        value: 'url',
        about: 'address of the program, such as http://127.0.0.1:3000/webhooks',
        required: true,
      },
      secret: { value: 'secret', about: 'secret of the signatures (default: a new one, printed at the start)' },
    },
    async run(run) {
      const target = run.text('forward-to') ?? '';
      if (!URL.canParse(target))
        throw new UsageError('--forward-to: must be an address such as http://127.0.0.1:3000/webhooks.');
      const secret = run.text('secret') ?? newSecret();
      say(`Events are posted to ${target}. Secret of the signatures: ${secret}`);
      for await (const event of eventsOf(run, await run.client(), false)) {
        const body = toJson(event);
        const outcome = await post(target, body, await signWebhook(secret, String(event.id), body), run.stopped);
        print(
          run.is('json')
            ? toJson({ id: event.id, type: event.type, outcome })
            : `${event.type} ${printable(String(event.id))}: ${outcome}`,
        );
      }
      return undefined;
    },
  },
};

function eventsOf(run: Run, client: Awaited<ReturnType<Run['client']>>, once: boolean) {
  const [after, types] = [run.text('after'), run.text('types')];
  return client.events({
    ...(after === undefined ? {} : { after }),
    ...(types === undefined ? {} : { types: types.split(',') }),
    once,
    signal: run.stopped,
  });
}

async function post(
  target: string,
  body: string,
  headers: Record<string, string>,
  stopped: AbortSignal,
): Promise<string> {
  try {
    const signal = AbortSignal.any([AbortSignal.timeout(FORWARD_MS_MAX), stopped]);
    const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body, signal };
    const response = await fetch(target, init);
    await response.body?.cancel();
    return String(response.status);
  } catch (error) {
    stopped.throwIfAborted();
    // The program may be restarting; the next event is posted all the same.
    return `not delivered (${(error as Error).message})`;
  }
}

function newSecret(): string {
  return `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(SECRET_BYTES))))}`;
}
