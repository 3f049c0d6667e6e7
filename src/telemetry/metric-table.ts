/** The metrics: name, kind, labels and meaning of each, from which the scraped page and docs/operate/metrics.md are made. */

export type MetricType = 'counter' | 'gauge' | 'histogram';

export interface Metric {
  readonly name: string;
  readonly type: MetricType;
  readonly labels: readonly string[];
  readonly help: string;
}

function metric(name: string, type: MetricType, labels: readonly string[], help: string): Metric {
  return { name, type, labels, help };
}

export const METRICS = Object.freeze({
  build: metric('offerbook_build_info', 'gauge', ['version', 'node'], 'Always 1; the labels say what is running.'),
  requests: metric(
    'offerbook_http_requests_total',
    'counter',
    ['method', 'route', 'status'],
    'Requests answered, by pattern of the route. Route unknown: no such address or method; unreadable: no valid HTTP.',
  ),
  duration: metric(
    'offerbook_http_request_seconds',
    'histogram',
    ['method', 'route'],
    'From the head of a request having arrived to its answer being handed to the system.',
  ),
  connections: metric('offerbook_http_connections', 'gauge', [], 'Client connections that are open.'),
  limits: metric(
    'offerbook_limits_hit_total',
    'counter',
    ['limit'],
    'How often a limit was met: rate, login, body, bodies, headers, time, connections, disk, files_room, load.',
  ),
  events: metric(
    'offerbook_events_total',
    'counter',
    ['event'],
    'How often other things of the event vocabulary happened; the log has a line on each.',
  ),
  commitWrites: metric(
    'offerbook_store_commit_writes',
    'histogram',
    [],
    'Writes that were committed together, by one flush of the disk.',
  ),
  waiting: metric(
    'offerbook_store_waiting',
    'gauge',
    ['queue'],
    'Calls that the store has taken and not answered: writes, and lists (which include members of groups).',
  ),
  oldestWait: metric(
    'offerbook_store_oldest_wait_seconds',
    'gauge',
    ['queue'],
    'How long the oldest of the waiting calls has waited; 0 when none waits.',
  ),
  storeBytes: metric('offerbook_store_bytes', 'gauge', [], 'Size of the store on disk, its write-ahead log included.'),
  workDue: metric(
    'offerbook_work_due',
    'gauge',
    ['kind'],
    'Accounts whose background work is due and in no hands, over all processes; absent while the store does not answer.',
  ),
  workOldest: metric(
    'offerbook_work_oldest_due_seconds',
    'gauge',
    ['kind'],
    'How long the oldest of them has been due; 0 when there is none.',
  ),
  reviewDue: metric(
    'offerbook_review_due_offers',
    'gauge',
    [],
    'Offers that are due for review, over all processes; absent while the store does not answer.',
  ),
  reviewOldest: metric(
    'offerbook_review_oldest_due_seconds',
    'gauge',
    [],
    'How long the oldest of them has been due; 0 when there is none.',
  ),
  reviewMissing: metric(
    'offerbook_review_accounts_missing',
    'gauge',
    [],
    'Accounts with due offers that these two figures leave out because their database node does not answer.',
  ),
  reviewVerdicts: metric(
    'offerbook_review_verdicts_total',
    'counter',
    ['status'],
    'Offers that this process has reviewed, by the status that came of it.',
  ),
  imagesWaiting: metric(
    'offerbook_images_waiting',
    'gauge',
    [],
    'Images that are to be fetched, over all processes; those that are tried again later included.',
  ),
  imagesOldest: metric(
    'offerbook_images_oldest_wait_seconds',
    'gauge',
    [],
    'How long the oldest of them that is due has waited; 0 when there is none.',
  ),
  imageFetches: metric(
    'offerbook_image_fetch_seconds',
    'histogram',
    ['outcome'],
    'How long hosts took to deliver images to this process: fetched, unchanged or failed.',
  ),
  ready: metric('offerbook_ready', 'gauge', [], '1 when the store answers, else 0; as `/readyz` says.'),
  certificateEnd: metric(
    'offerbook_tls_certificate_end_seconds',
    'gauge',
    [],
    'When the certificate of TLS_CERT ends, in Unix time; absent without one.',
  ),
  cpuSeconds: metric('process_cpu_seconds_total', 'counter', [], 'Processor time used, by user and system.'),
  residentBytes: metric('process_resident_memory_bytes', 'gauge', [], 'Memory in use.'),
  startSeconds: metric('process_start_time_seconds', 'gauge', [], 'When the process started, in Unix time.'),
  heapBytes: metric('nodejs_heap_size_used_bytes', 'gauge', [], 'JavaScript heap in use.'),
  externalBytes: metric('nodejs_external_memory_bytes', 'gauge', [], 'Memory of buffers outside the heap.'),
  loopUtilization: metric(
    'nodejs_eventloop_utilization_ratio',
    'gauge',
    [],
    'Share of its time, from 0 to 1, in which the request thread was busy, since the last scrape.',
  ),
  threadPause: metric(
    'offerbook_request_thread_pause_seconds',
    'gauge',
    [],
    'The longest time for which the request thread got to nothing new, since the last scrape.',
  ),
  loopDelay: metric(
    'nodejs_eventloop_delay_seconds',
    'gauge',
    ['quantile'],
    'How late the request thread gets to its work: quantiles 0.5 and 0.99, since the last scrape.',
  ),
});
