/** Starts the metrics server of one process if METRICS_PORT is set. */
import { SettingError } from '../config/settings.ts';
import { type MetricsSources, writeMetricsPage } from '../telemetry/metrics-page.ts';
import { type MetricsServer, startMetricsServer } from '../telemetry/metrics-server.ts';
import { ProcessMeter } from '../telemetry/process-meter.ts';

export { unlessStoreIsDown } from '../store/port/errors.ts';

/** Returns the metrics port of a worker, which is METRICS_PORT plus its number. */
export function metricsPortOf(port: number | undefined, worker: number | undefined): number | undefined {
  return port === undefined || port === 0 ? port : port + (worker ?? 0);
}

export function metricsPortFault(port: number, error: unknown): SettingError {
  const { code } = error as NodeJS.ErrnoException;
  const reason = code === 'EADDRINUSE' ? 'another program uses it' : code;
  return new SettingError(`METRICS_PORT must be a free port on 127.0.0.1 (${port}: ${reason})`);
}

export async function startMetrics(
  port: number | undefined,
  starting: AsyncDisposableStack,
  sources: Omit<MetricsSources, 'process'>,
): Promise<MetricsServer | undefined> {
  if (port === undefined) return undefined;
  const meter = starting.adopt(new ProcessMeter(), (opened) => opened.close());
  try {
    const metrics = await startMetricsServer(port, () => writeMetricsPage({ ...sources, process: meter }));
    return starting.adopt(metrics, (opened) => opened.close());
  } catch (error) {
    throw metricsPortFault(port, error);
  }
}
