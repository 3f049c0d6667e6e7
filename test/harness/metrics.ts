/** Reads a metrics page as a scraper does. */
import assert from 'node:assert/strict';

/** Values by name and labels, as on the page: `name{label="value"}`. */
export type Samples = ReadonlyMap<string, number>;

export async function scrape(metricsUrl: string | undefined): Promise<Samples> {
  assert.ok(metricsUrl !== undefined, 'the server has no metrics port');
  const response = await fetch(metricsUrl);
  assert.deepEqual(
    [response.status, response.headers.get('content-type')],
    [200, 'text/plain; version=0.0.4; charset=utf-8'],
  );
  return parseSamples(await response.text());
}

function parseSamples(page: string): Samples {
  const samples = new Map<string, number>();
  for (const line of page.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const [, series = '', value] = /^([a-z_]+(?:\{.*\})?) (\S+)$/.exec(line) ?? [];
    assert.ok(value !== undefined && !Number.isNaN(Number(value)), `not a sample: ${line}`);
    assert.ok(!samples.has(series), `twice: ${series}`);
    samples.set(series, Number(value));
  }
  return samples;
}

export function limitHits(samples: Samples, limit: string): number | undefined {
  return samples.get(`offerbook_limits_hit_total{limit="${limit}"}`);
}
