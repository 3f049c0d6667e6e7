/** Tests which events may be in flight together, and which position is stored. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DeliveryWindow } from './delivery-window.ts';
import type { SentEvent } from './webhook-feed.ts';

/** Events at 1, 2, 3 and so on: '' is an event that belongs to no offer. */
function eventsOf(...skuIds: string[]): SentEvent[] {
  return skuIds.map((skuId, index) => {
    const position = { number: index + 1, count: 1 };
    const text = { id: `${index}`, type: 'event', content: () => '{}', shown: () => '{}' };
    return { ...text, key: skuId === '' ? undefined : skuId, position, atMs: 0 };
  });
}

function windowOf(...skuIds: string[]) {
  const events = eventsOf(...skuIds);
  const window = new DeliveryWindow({ number: 1, count: 0 });
  window.add({ events, next: { number: 9, count: 0 } });
  /** Takes all events that may be sent now, and returns their numbers. */
  const taken = () => {
    const numbers: number[] = [];
    for (let event = window.next(); event !== undefined; event = window.next()) {
      window.start([event]);
      numbers.push(event.position.number);
    }
    return numbers;
  };
  const confirm = (...numbers: number[]) =>
    window.confirm(events.filter(({ position }) => numbers.includes(position.number)));
  return { window, taken, confirm };
}

describe('the window of a delivery', () => {
  it('sends one event of each SKU at a time', () => {
    const { taken, confirm } = windowOf('a', 'b', 'a', 'a', 'c');
    assert.deepEqual(taken(), [1, 2, 5]);
    confirm(2);
    assert.deepEqual(taken(), []);
    confirm(1);
    assert.deepEqual(taken(), [3]);
    confirm(3);
    assert.deepEqual(taken(), [4]);
  });

  it('sends an event of no offer alone, after all events before it', () => {
    const { taken, confirm } = windowOf('a', 'b', '', 'c', 'a');
    assert.deepEqual(taken(), [1, 2]);
    confirm(2);
    assert.deepEqual(taken(), []);
    confirm(1);
    assert.deepEqual(taken(), [3]);
    confirm(3);
    assert.deepEqual(taken(), [4, 5]);
  });

  it('stores the lowest position that is not confirmed, and what is confirmed after it', () => {
    const { window, taken, confirm } = windowOf('a', 'b', 'c', 'd');
    assert.deepEqual(window.position, { number: 1, count: 0 });
    taken();
    confirm(2, 4);
    const confirmed = [
      { number: 2, count: 1 },
      { number: 4, count: 1 },
    ];
    assert.deepEqual(window.position, { number: 1, count: 0, confirmed });
    assert.equal(window.size, 4);
    confirm(1);
    assert.deepEqual(window.position, { number: 2, count: 1, confirmed: confirmed.slice(1) });
    assert.equal(window.size, 2);
    confirm(3);
    assert.deepEqual(window.position, { number: 9, count: 0 });
    assert.equal(window.size, 0);
  });

  it('continues from a stored position without repeating what is confirmed, also beyond the first page', () => {
    const [one, two, three, four] = eventsOf('a', 'b', 'c', 'd') as [SentEvent, SentEvent, SentEvent, SentEvent];
    const confirmed = [two.position, four.position];
    const window = new DeliveryWindow({ number: 1, count: 0, confirmed });
    window.add({ events: [one, two], next: two.position });
    assert.deepEqual(window.waiting(), [one]);
    window.confirm([one]);
    assert.deepEqual(window.position, { ...two.position, confirmed: [four.position] });
    window.add({ events: [three, four], next: { number: 9, count: 0 } });
    assert.deepEqual(window.waiting(), [three]);
    window.confirm([three]);
    assert.deepEqual(window.position, { number: 9, count: 0 });
  });
});
