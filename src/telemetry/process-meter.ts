/** Measures the process: memory, CPU time, and utilization of the request thread. */
import { type EventLoopUtilization, monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { Exposition } from './exposition.ts';
import { METRICS } from './metric-table.ts';

const DELAY_RESOLUTION_MS = 20;
const NS_PER_SECOND = 1e9;

/** Runs a timer while it is open, so only a server with a metrics port creates a ProcessMeter. */
export class ProcessMeter {
  readonly #delay = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS });
  #utilization: EventLoopUtilization;

  constructor() {
    this.#delay.enable();
    this.#utilization = performance.eventLoopUtilization();
  }

  addTo(page: Exposition): void {
    const { user, system } = process.cpuUsage();
    const { rss, heapUsed, external } = process.memoryUsage();
    const utilization = performance.eventLoopUtilization();
    page
      .addValue(METRICS.cpuSeconds, (user + system) / 1e6)
      .addValue(METRICS.residentBytes, rss)
      .addValue(METRICS.startSeconds, performance.timeOrigin / 1000)
      .addValue(METRICS.heapBytes, heapUsed)
      .addValue(METRICS.externalBytes, external)
      .addValue(METRICS.loopUtilization, performance.eventLoopUtilization(utilization, this.#utilization).utilization)
      .add(METRICS.loopDelay, [
        [['0.5'], this.#delaySeconds(50)],
        [['0.99'], this.#delaySeconds(99)],
      ]);
    this.#utilization = utilization;
    this.#delay.reset();
  }

  close(): void {
    this.#delay.disable();
  }

  /** Subtracts the timer's own interval, which the histogram includes. */
  #delaySeconds(percentile: number): number {
    return Math.max(0, this.#delay.percentile(percentile) / NS_PER_SECOND - DELAY_RESOLUTION_MS / 1000);
  }
}
