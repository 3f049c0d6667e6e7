/** Commands for the change feed. */
import { setTimeout } from 'node:timers/promises';
import { reasonOf } from '../errors.ts';
import { toJson } from '../json.ts';
import { signWebhook, webhookMessageOf } from '../webhooks.ts';
import type { Commands, Run } from './command.ts';
import { print, printable, say } from './terminal.ts';
import { UsageError } from './usage.ts';

const TYPES = { value: 'types', about: 'only these types, separated by commas' } as const;
const INCLUDE = { value: 'fields', about: '"changes": also show which fields changed' } as const;
const FORWARD_MS_MAX = 10_000;
const RETRY_MS = 1_000;
/** Size of the secret that only this command and the local program know. */
const SECRET_BYTES = 24;

export const FEED_COMMANDS: Commands = {
  events: {
    takes: '',
    about: "Print the account's events, one JSON object per line.",
    options: {
      after: {
        value: 'cursor',
        about: 'start after this cursor or event id; "latest" skips all past events (default: start with the oldest)',
      },
      types: TYPES,
      include: INCLUDE,
      follow: { about: 'wait for new events until Ctrl+C' },
    },
    async run(run) {
      for await (const event of eventsOf(run, run.text('after'), !run.is('follow'))) print(toJson(event));
      return undefined;
    },
  },
  listen: {
    takes: '',
    about: 'Forward events to a local program as signed webhooks, so that you can develop it without a public URL.',
    options: {
      after: { value: 'cursor', about: 'start after this cursor or event id (default: "latest", only new events)' },
      types: TYPES,
      include: INCLUDE,
      'forward-to': {
        value: 'url',
        about: 'URL of the program, such as http://127.0.0.1:3000/webhooks',
        required: true,
      },
      secret: { value: 'secret', about: 'signing secret (default: a new one, printed at the start)' },
    },
    async run(run) {
      const target = run.text('forward-to') ?? '';
      if (!URL.canParse(target))
        throw new UsageError('--forward-to: must be a URL such as http://127.0.0.1:3000/webhooks.');
      const secret = run.text('secret') ?? newSecret();
      say(`Events are posted to ${target}. Signing secret: ${secret}`);
      for await (const event of eventsOf(run, run.text('after') ?? 'latest', false)) {
        const body = toJson(webhookMessageOf(event));
        // Signed again in each attempt, because receivers refuse old signatures.
        const headers = () => signWebhook(secret, event.id, body);
        const outcome = await post(target, body, headers, run.stopped);
        print(
          run.is('json')
            ? toJson({ id: event.id, type: event.type, outcome })
            : `${event.type} ${printable(event.id)}: ${outcome}`,
        );
      }
      return undefined;
    },
  },
};

async function* eventsOf(run: Run, after: string | undefined, once: boolean) {
  const [types, include] = [run.text('types'), run.text('include')];
  const client = await run.client();
  yield* client.events({
    ...(after === undefined ? {} : { after }),
    ...(types === undefined ? {} : { types: types.split(',') }),
    ...(include === undefined ? {} : { include: include.split(',') }),
    once,
    signal: run.stopped,
  });
  run.stopped.throwIfAborted();
}

/**
 * Posts one event and returns the status of the response. If the program does not respond, for example during a restart, the event is sent
 * again until it does, so that events keep their order.
 */
async function post(
  target: string,
  body: string,
  headers: () => Promise<Record<string, string>>,
  stopped: AbortSignal,
): Promise<string> {
  for (let said = ''; ; ) {
    try {
      const signal = AbortSignal.any([AbortSignal.timeout(FORWARD_MS_MAX), stopped]);
      const signed = { 'content-type': 'application/json', ...(await headers()) };
      const response = await fetch(target, { method: 'POST', headers: signed, body, signal });
      await response.body?.cancel();
      return String(response.status);
    } catch (error) {
      stopped.throwIfAborted();
      const reason = reasonOf(error);
      if (reason !== said) say(`${target} does not respond: ${reason}. Retrying until it responds.`);
      said = reason;
      await setTimeout(RETRY_MS, undefined, { signal: stopped });
    }
  }
}

function newSecret(): string {
  return `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(SECRET_BYTES))))}`;
}
