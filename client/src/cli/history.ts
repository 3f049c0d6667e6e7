/** Commands for the history of an offer. */

import { toJson } from '../json.ts';
import type { HistoryChange } from '../types.ts';
import type { Commands } from './command.ts';
import { DRY_RUN, first, written } from './offers.ts';
import { shortOf } from './sync/values.ts';
import { print, printable } from './terminal.ts';
import { UsageError } from './usage.ts';

const SHOWN_DEFAULT = 20;
/** Most changes that the server returns in one response. */
const PAGE_MAX = 200;

export const HISTORY_COMMANDS: Commands = {
  history: {
    takes: '<sku>',
    about: 'Print who changed which part of a SKU, newest first. With --json, one change per line.',
    options: { limit: { value: 'count', about: `number of changes to print (default: ${SHOWN_DEFAULT})` } },
    async run(run) {
      const limit = Number(run.text('limit') ?? SHOWN_DEFAULT);
      let left = limit;
      for await (const change of (await run.client()).history(first(run), Math.min(limit, PAGE_MAX))) {
        print(run.is('json') ? toJson(change) : textOf(change));
        if (--left <= 0) break;
      }
      return undefined;
    },
  },
  undo: {
    takes: '<sku> [change]',
    about: 'Restore the value before a change. The change is an id from "history"; the default is the newest change.',
    options: { 'dry-run': DRY_RUN },
    async run(run) {
      const [sku = '', id] = run.values;
      const client = await run.client();
      const change = id ?? (await client.history(sku, 1).next()).value?.id;
      if (change === undefined) throw new UsageError(`${printable(sku)}: the history is empty.`);
      if (!/^[1-9]\d*$/.test(String(change)))
        throw new UsageError(`${change}: must be the id of a change. See "offerbook-client history ${sku}".`);
      return written(run, sku, `change ${change} undone`, (options) => client.restore(sku, Number(change), options));
    },
  },
};

function textOf({ id, at, by, part, before, after }: HistoryChange): string {
  const author = `${by.kind} ${printable(by.name)}`;
  return `${id}  ${at}  ${author}\n  ${part}: ${shortOf(before)} -> ${shortOf(after)}`;
}
