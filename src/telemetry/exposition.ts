/** Writes the Prometheus text format, version 0.0.4. */
import type { Histogram } from '../domain/histogram.ts';
import type { Metric } from './metric-table.ts';

export const EXPOSITION_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export type LabelValues = readonly string[];

/** Builds the page: metrics in the order added, each with its samples. */
export class Exposition {
  #text = '';

  add(metric: Metric, samples: Iterable<readonly [labels: LabelValues, value: number]>): this {
    this.#head(metric);
    for (const [labels, value] of samples) this.#sample(metric.name, metric.labels, labels, value);
    return this;
  }

  /** Adds a metric without labels. */
  addValue(metric: Metric, value: number): this {
    return this.add(metric, [[[], value]]);
  }

  addHistogram(metric: Metric, samples: Iterable<readonly [labels: LabelValues, data: Histogram]>): this {
    this.#head(metric);
    const bucketLabels = [...metric.labels, 'le'];
    for (const [labels, { bounds, counts, sum }] of samples) {
      let below = 0;
      for (let index = 0; index <= bounds.length; index++) {
        below += counts[index] ?? 0;
        const bound = bounds[index];
        this.#sample(
          `${metric.name}_bucket`,
          bucketLabels,
          [...labels, bound === undefined ? '+Inf' : String(bound)],
          below,
        );
      }
      this.#sample(`${metric.name}_sum`, metric.labels, labels, sum);
      this.#sample(`${metric.name}_count`, metric.labels, labels, below);
    }
    return this;
  }

  text(): string {
    return this.#text;
  }

  #head({ name, help, type }: Metric): void {
    this.#text += `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${type}\n`;
  }

  #sample(name: string, labels: readonly string[], values: LabelValues, value: number): void {
    const pairs = labels.map((label, index) => `${label}="${escaped(values[index] ?? '')}"`);
    this.#text += `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}\n`;
  }
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
