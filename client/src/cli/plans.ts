/** Commands for plans. */
import { OfferbookError } from '../errors.ts';
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
      'Undo an applied plan, or all applied plans of a key, newest first. Waits for plans that are still applied. Values that were changed ' +
      'since are kept.',
    options: { by: { value: 'key', about: 'user name of the key whose plans are undone' } },
    async run(run) {
      const { plans, files } = await run.client();
      const [id] = run.values;
      const key = run.text('by');
      if ((id === undefined) === (key === undefined)) throw new UsageError('Give the id of a plan, or --by.');
      const listed = await plans.list();
      const applying = listed.filter(({ state }) => state === 'applying').map((plan) => plan.id);
      const isOfKey = ({ by, state }: Plan) =>
        by.kind === 'key' && by.name === key && (state === 'applied' || state === 'applying');
      const ids = id === undefined ? listed.filter(isOfKey).map((plan) => plan.id) : [id];
      const ended = async (fileId: string) => {
        for await (const _ of files.follow(fileId));
      };
      const undone = [];
      const texts: string[] = [];
      for (const planId of ids) {
        // The id of a plan is the id of its file.
        if (applying.includes(planId)) await ended(planId);
        const result = await plans.undo(planId).catch((error: unknown) => {
          // The older plans of the key are undone all the same.
          if (id === undefined && error instanceof OfferbookError && error.status !== 429) return error;
          throw error;
        });
        if (result instanceof OfferbookError) {
          undone.push({ plan: planId, problems: result.problems });
          texts.push(`${planId}: not undone: ${printable(result.message)}`);
          continue;
        }
        const { file, ...counts } = result;
        // The next undo must see the restored values.
        if (file !== undefined) await ended(String(file.marketplace_file_id));
        undone.push({ plan: planId, ...counts });
        texts.push(`${planId}: ${counts.offers} restored, ${counts.skipped} skipped.`);
      }
      run.result(undone, () => (texts.length === 0 ? 'Nothing to undo.' : texts.join('\n')));
      return undone.every((each) => !('problems' in each));
    },
  },
};
