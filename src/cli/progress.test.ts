/** Tests that a progress bar fits its terminal and shows count, rate and time left. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Drawn, progressLine, startProgress } from './progress.ts';
import type { Shell } from './shell.ts';

const HALF: Drawn = { what: 'Exporting', unit: 'SKUs', done: 5000, total: 10_000, elapsed_ms: 2000 };

describe('progress', () => {
  it('shows a bar, the count, the rate and the time left', () => {
    assert.equal(
      progressLine({ columns: 100 }, HALF),
      `Exporting [${'#'.repeat(20)}${'.'.repeat(20)}] 5,000 of 10,000 SKUs, 2,500/s, 2 s left`,
    );
  });

  it('shows what was done if the total is unknown, and no time left at the end', () => {
    assert.equal(progressLine({ columns: 100 }, { ...HALF, total: undefined }), 'Exporting 5,000 SKUs, 2,500/s');
    assert.match(
      progressLine({ columns: 100 }, { ...HALF, done: 10_000 }),
      /\[#{40}\] 10,000 of 10,000 SKUs, 5,000\/s$/,
    );
  });

  it('shows a bar by share if the total number is unknown, and a note', () => {
    const quarter = { ...HALF, total: undefined, share: 0.25, note: '3 failed' };
    assert.equal(
      progressLine({ columns: 100 }, quarter),
      `Exporting [${'#'.repeat(10)}${'.'.repeat(30)}] 5,000 SKUs, 2,500/s, 6 s left, 3 failed`,
    );
    assert.equal(
      progressLine({ columns: 100 }, { ...quarter, share: 1 }),
      `Exporting [${'#'.repeat(40)}] 5,000 SKUs, 2,500/s, 3 failed`,
    );
  });

  it('fits on one line of any terminal', () => {
    for (const columns of [0, 1, 10, 40, 60, 80])
      for (const drawn of [HALF, { ...HALF, note: 'a note' }])
        assert.ok(progressLine({ columns }, drawn).length < Math.max(columns, 1));
  });

  it('is drawn at most ten times a second and removed at the end; without a terminal it is not drawn', () => {
    const written: string[] = [];
    const terminal = { columns: 80, write: (text: string) => void written.push(text) };
    const progress = startProgress({ terminal } as Shell, 'Copying', 'pages');
    for (let done = 0; done < 1000; done++) progress.show(done, 1000);
    progress.end();
    assert.ok(written.length <= 3, `${written.length} times`);
    assert.equal(written.at(-1), '\r\u001B[2K');
    startProgress({ terminal: undefined } as Shell, 'Copying', 'pages').show(1, 2);
  });
});
