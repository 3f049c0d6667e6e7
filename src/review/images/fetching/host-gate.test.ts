/** Tests host-gate.ts: concurrency limits, and that a busy host delays no other. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HostGate } from './host-gate.ts';

describe('HostGate', () => {
  it('limits one host, and admits the next when one leaves', async () => {
    const gate = new HostGate({ per_host_max: 2, total_max: 10 });
    const leave = await gate.enter('slow');
    await gate.enter('slow');
    let isThird = false;
    const third = gate.enter('slow').then(() => {
      isThird = true;
    });
    await tick();
    assert.equal(isThird, false);
    let isFourth = false;
    gate.enter('slow').then(() => {
      isFourth = true;
    });
    leave();
    leave();
    await third;
    await tick();
    assert.equal(isFourth, false, 'a slot that is released twice counts once');
  });

  it('lets another host pass a hundred that wait for a slow one', async () => {
    const gate = new HostGate({ per_host_max: 2, total_max: 4 });
    let entered = 0;
    const enter = () => {
      entered += 1;
    };
    for (let index = 0; index < 100; index += 1) gate.enter('slow').then(enter);
    await gate.enter('quick');
    await tick();
    assert.equal(entered, 2);
  });

  it('serves hosts round-robin if slots are scarce', async () => {
    const gate = new HostGate({ per_host_max: 1, total_max: 1 });
    const order: string[] = [];
    const pass = async (host: string, name: string) => {
      const leave = await gate.enter(host);
      order.push(name);
      leave();
    };
    const leave = await gate.enter('other');
    const all = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map((name) => pass(name.charAt(0), name));
    leave();
    await Promise.all(all);
    assert.deepEqual(order, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  it('drops a waiting fetch that is aborted', async () => {
    const gate = new HostGate({ per_host_max: 1, total_max: 1 });
    const leave = await gate.enter('a');
    const control = new AbortController();
    const waiting = gate.enter('b', control.signal);
    control.abort(new Error('The process stops.'));
    await assert.rejects(waiting, /The process stops/);
    await assert.rejects(gate.enter('b', control.signal), /The process stops/);
    leave();
    // The aborted fetch takes no slot.
    await gate.enter('c');
  });
});

function tick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
