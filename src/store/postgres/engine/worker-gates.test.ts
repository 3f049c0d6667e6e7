/** Tests that an unresponsive Citus worker affects only its own accounts, and that every statement shows which worker it uses. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { AccountUnavailableError, StoreUnavailableError } from '../../port/errors.ts';
import { DISTRIBUTION_COLUMNS } from './distribution.ts';
import { STATEMENTS, type Statement } from './engine.ts';
import { accountOf, type Worker, WorkerGates } from './worker-gates.ts';

// Loads every file that holds statements.
import '../open.ts';

const ROOT = path.resolve(import.meta.dirname, '../../../..');

describe('accountOf', () => {
  const tables = [...DISTRIBUTION_COLUMNS.keys()].join('|');
  const distributed = [...STATEMENTS.values()].filter(({ text }) =>
    new RegExp(`\\b(?:FROM|JOIN|UPDATE|INTO) (?:${tables})\\b`).test(text),
  );
  const values = Array.from({ length: 50 }, (_, index) => 1_000 + index);

  it('finds the account of nearly every statement on distributed tables', () => {
    assert.ok(distributed.filter((one) => accountOf(one, values) !== undefined).length > 150);
    assert.equal(accountOf(STATEMENTS.get('add file') as Statement, values), 1_000);
    assert.equal(accountOf(STATEMENTS.get('read rate counter') as Statement, values), undefined);
  });

  it('decision 75 lists every statement that may ask many shards', () => {
    const decision = readFileSync(path.join(ROOT, 'docs/decisions/0075-measured-on-postgresql-and-citus.md'), 'utf8');
    const many = distributed.filter((one) => {
      // A statement that reaches no row asks no shard.
      const isOfOneKey =
        /\b(?:code|address_hash|term) = \$\d|shop_event|\(address_hash,[^)]*\) VALUES \(\$1|WHERE false$/.test(
          one.text.replace(/\s+/g, ' '),
        );
      return accountOf(one, values) === undefined && !isOfOneKey;
    });
    assert.ok(many.length > 10);
    for (const { name } of many) assert.ok(decision.includes(`\`${name}\``), name);
  });
});

describe('WorkerGates', () => {
  /** Odd accounts are on worker 1, even ones on worker 2. */
  function openGates() {
    const state = { isFrozen: false, probes: 0, goOn: () => {} };
    const gates = new WorkerGates(async () => {
      return {
        endAt() {},
        release() {},
        async run({ name }: Statement, [accountId]: readonly unknown[] = []) {
          const worker = Number(accountId) % 2 === 1 ? 1 : 2;
          if (name === 'find worker of account') return [[worker, '127.0.0.1', 5432]] as never;
          state.probes++;
          if (worker === 1 && state.isFrozen) {
            await new Promise<void>((resolve) => {
              state.goOn = () => {
                state.isFrozen = false;
                resolve();
              };
            });
          }
          return [] as never;
        },
      };
    }, 100);
    return { gates, state };
  }

  const fail = () => Promise.reject(new StoreUnavailableError('The database did not respond in time.'));
  const work = async ({ groupId }: Worker) => groupId;

  it('refuses all accounts of a worker that does not respond to its probe, and no others', async () => {
    const { gates, state } = openGates();
    state.isFrozen = true;
    await assert.rejects(gates.pass(1, fail), /did not respond in time/);
    await assert.rejects(gates.pass(3, work), AccountUnavailableError);
    await assert.rejects(gates.pass(3, work), /node that holds this account does not respond/);
    assert.equal(await gates.pass(2, work), 2);
    let hasWaited = false;
    setImmediate(() => {
      hasWaited = true;
    });
    await assert.rejects(gates.pass(1, work), /node that holds this account does not respond/);
    assert.equal(hasWaited, false, 'refused at once');
    assert.equal(state.probes, 1, 'one probe for all');
    state.goOn();
    await pause(1);
    assert.equal(await gates.pass(3, work), 1);
    gates.close();
  });

  it('refuses statements of transactions, too', async () => {
    const { gates, state } = openGates();
    state.isFrozen = true;
    const file = STATEMENTS.get('add file') as Statement;
    const sent: string[] = [];
    const connection = {
      async run({ name }: Statement) {
        sent.push(name);
        return [] as never;
      },
    };
    const adding = (accountId: number, then: () => Promise<unknown>) =>
      gates.guarded(async ({ run }) => {
        await run(file, [accountId]);
        return then();
      })(connection);
    await assert.rejects(adding(1, fail), /did not respond in time/);
    await assert.rejects(gates.pass(1, work));
    sent.length = 0;
    await assert.rejects(
      adding(1, async () => {}),
      /node that holds this account does not respond/,
    );
    assert.deepEqual(sent, []);
    await adding(2, async () => {});
    assert.deepEqual(sent, ['add file']);
    state.goOn();
    gates.close();
  });

  it('a call that fails for another reason delays others by one probe', async () => {
    const { gates, state } = openGates();
    await assert.rejects(gates.pass(1, fail), AccountUnavailableError);
    assert.equal(await gates.pass(3, work), 1);
    assert.equal(state.probes, 1);
    await assert.rejects(
      gates.pass(1, () => Promise.reject(new Error('a mistake'))),
      /a mistake/,
    );
    assert.equal(state.probes, 1);
    gates.close();
  });
});
