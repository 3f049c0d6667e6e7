/** Commands for plans. */
import type { Plan } from '../types.ts';
import type { Commands } from './command.ts';
import { printable, table } from './terminal.ts';
import { UsageError } from './usage.ts';

export const PLAN_COMMANDS: Commands = {
  'plans list': {
    takes: '',
    about: 'Print the plans of all keys, newest first.',
    async run(run) {
      const plans = await (await run.client()).plans.list();
      const rows = plans.map(({ id, state, created, by, totals }) => [
        ...[id, state, created, `${by.kind} ${printable(by.name)}`, String(totals.offers)],
      ]);
      run.result(plans, () =>
        rows.length === 0 ? 'There are no plans.' : table(['ID', 'STATE', 'CREATED', 'BY', 'OFFERS'], rows),
      );
      return undefined;
    },
  },
  'plans undo': {
    takes: '[id]',
    about:
      'Undo an applied plan, or all applied plans of a key, newest first. Values that were changed since are kept.',
    options: { by: { value: 'key', about: 'user name of the key whose plans are undone' } },
    async run(run) {
      const { plans, files } = await run.client();
      const [id] = run.values;
      const key = run.text('by');
      if ((id === undefined) === (key === undefined)) throw new UsageError('Give the id of a plan, or --by.');
      const isOfKey = ({ by, state }: Plan) => by.kind === 'key' && by.name === key && state === 'applied';
      const ids = id === undefined ? (await plans.list()).filter(isOfKey).map((plan) => plan.id) : [id];
      const undone = [];
      for (const planId of ids) {
        const { file, ...result } = await plans.undo(planId);
        // The next undo must see the restored values.
        if (file !== undefined) for await (const _ of files.follow(String(file.marketplace_file_id)));
        undone.push({ plan: planId, ...result });
      }
      const texts = undone.map(({ plan, offers, skipped }) => `${plan}: ${offers} restored, ${skipped} skipped.`);
      run.result(undone, () => (texts.length === 0 ? 'Nothing to undo.' : texts.join('\n')));
      return undefined;
    },
  },
};
