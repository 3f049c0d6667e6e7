/** Commands for webhooks. */
import type { EventRecord, Webhook, WebhookChange, WebhookDelivery, WebhookWithSecret } from '../types.ts';
import type { Commands, Run } from './command.ts';
import { first } from './offers.ts';
import { table } from './terminal.ts';
import { UsageError } from './usage.ts';

const TYPES = { value: 'types', about: 'only events of these types, separated by commas (default: all)' } as const;
const INCLUDE = { value: 'fields', about: '"changes": also send which fields changed; "none" (default)' } as const;
const BATCHES = { value: 'on|off', about: 'send up to 100 events in one message (default: off)' } as const;
const OVERLAP = {
  value: 'seconds',
  about: 'how long the old secret also signs messages (default: a day)',
} as const;

export const WEBHOOK_COMMANDS: Commands = {
  'webhooks list': {
    takes: '',
    about: 'Print your webhooks.',
    async run(run) {
      const webhooks = await (await run.client()).webhooks.list();
      run.result(webhooks, () => webhookTable(webhooks));
      return undefined;
    },
  },
  'webhooks add': {
    takes: '<url>',
    about: 'Add a webhook and print its secret, which is shown only now.',
    options: { types: TYPES, include: INCLUDE, batches: BATCHES },
    async run(run) {
      const added = await (await run.client()).webhooks.add({ url: first(run), ...settingsOf(run) });
      return issued(run, added);
    },
  },
  'webhooks change': {
    takes: '<id>',
    about: 'Change what a webhook gets and where, or disable or enable it.',
    options: {
      url: { value: 'url', about: 'new URL' },
      types: TYPES,
      include: INCLUDE,
      batches: BATCHES,
      disable: { about: 'stop deliveries' },
      enable: { about: 'resume deliveries with the first event that was not delivered' },
    },
    async run(run) {
      const url = run.text('url');
      if (run.is('disable') && run.is('enable')) throw new UsageError('Use either --disable or --enable.');
      const change = {
        ...(url === undefined ? {} : { url }),
        ...settingsOf(run),
        ...(run.is('disable') || run.is('enable') ? { enabled: run.is('enable') } : {}),
      };
      if (Object.keys(change).length === 0)
        throw new UsageError('Nothing to change: use --url, --types, --include, --batches, --disable or --enable.');
      const changed = await (await run.client()).webhooks.change(first(run), change);
      run.result(changed, () => webhookTable([changed]));
      return undefined;
    },
  },
  'webhooks remove': {
    takes: '<id>',
    about: 'Remove a webhook and its log.',
    async run(run) {
      await (await run.client()).webhooks.remove(first(run));
      run.result({ webhook_id: first(run), done: true }, () => `${first(run)}: removed.`);
      return undefined;
    },
  },
  'webhooks secret': {
    takes: '<id>',
    about: 'Replace the secret of a webhook and print the new one, which is shown only now.',
    options: { overlap: OVERLAP },
    async run(run) {
      const seconds = run.text('overlap');
      if (seconds !== undefined && !/^\d+$/.test(seconds)) throw new UsageError('--overlap: must be a whole number.');
      const overlap = seconds === undefined ? undefined : Number(seconds);
      return issued(run, await (await run.client()).webhooks.rollSecret(first(run), overlap));
    },
  },
  'webhooks test': {
    takes: '<id>',
    about: 'Send a test event now and print the result. Exits with 1 if it was not delivered.',
    run: async (run) => sent(run, await (await run.client()).webhooks.test(first(run))),
  },
  'webhooks replay': {
    takes: '<id> <event>',
    about: 'Send an event again now and print the result. Exits with 1 if it was not delivered.',
    run: async (run) => sent(run, await (await run.client()).webhooks.replay(first(run), run.values[1] ?? '')),
  },
  'webhooks deliveries': {
    takes: '<id>',
    about: 'Print the last attempts to deliver events to a webhook, newest first.',
    async run(run) {
      const deliveries = await (await run.client()).webhooks.deliveries(first(run));
      run.result(deliveries, () => deliveryTable(deliveries));
      return undefined;
    },
  },
};

function settingsOf(run: Run): Pick<WebhookChange, 'types' | 'include' | 'batches'> {
  const [types, include, batches] = [run.text('types'), run.text('include'), run.text('batches')];
  if (batches !== undefined && batches !== 'on' && batches !== 'off')
    throw new UsageError('--batches: must be on or off.');
  return {
    ...(types === undefined ? {} : { types: types.split(',') as EventRecord['type'][] }),
    ...(include === undefined ? {} : { include: include === 'none' ? [] : (include.split(',') as 'changes'[]) }),
    ...(batches === undefined ? {} : { batches: batches === 'on' }),
  };
}

function issued(run: Run, webhook: WebhookWithSecret): undefined {
  run.result(webhook, () => `${webhookTable([webhook])}\n\n${secretLine(webhook)}`);
  return undefined;
}

/** A retried call does not get the secret again. */
function secretLine({ webhook_id, secret }: WebhookWithSecret): string {
  return secret === undefined
    ? `The secret was in a response that did not arrive. Replace it with "offerbook-client webhooks secret ${webhook_id}".`
    : `Secret: ${secret}`;
}

function sent(run: Run, delivery: WebhookDelivery): boolean {
  run.result(delivery, () => deliveryTable([delivery]));
  return delivery.failure === null;
}

function webhookTable(webhooks: readonly Webhook[]): string {
  return table(
    ['ID', 'STATE', 'URL', 'TYPES', 'INCLUDE', 'BATCHES'],
    webhooks.map(({ webhook_id, disabled_reason, url, types, include, batches }) => [
      webhook_id,
      disabled_reason === null ? 'enabled' : `disabled: ${disabled_reason}`,
      url,
      types.join(', '),
      include.join(', ') || 'none',
      batches ? 'on' : 'off',
    ]),
  );
}

function deliveryTable(deliveries: readonly WebhookDelivery[]): string {
  return table(
    ['EVENT', 'TYPE', 'EVENTS', 'TIME', 'ATTEMPT', 'RESULT'],
    deliveries.map(({ event_id, type, events, at, attempt, status, failure }) => [
      event_id,
      type,
      String(events),
      at,
      String(attempt),
      failure ?? `delivered, status ${status}`,
    ]),
  );
}
