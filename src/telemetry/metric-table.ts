/** Lists all metrics with type, labels and help; the metrics page and docs/operate/metrics.md are generated from it. */

type MetricType = 'counter' | 'gauge' | 'histogram';

export interface Metric {
  readonly name: string;
  readonly type: MetricType;
  readonly labels: readonly string[];
  readonly help: string;
}

/** A function that adds a metric of one type. */
function metricOf(type: MetricType) {
  return (name: string, { help, labels = [] }: Pick<Metric, 'help'> & Partial<Metric>): Metric => {
    return { name, type, labels, help };
  };
}

const counter = metricOf('counter');
const gauge = metricOf('gauge');
const histogram = metricOf('histogram');

export const METRICS = Object.freeze({
  build: gauge('offerbook_build_info', {
    labels: ['version', 'node'],
    help: 'Always 1; the labels are the versions of Offerbook and Node.',
  }),
  requests: counter('offerbook_http_requests_total', {
    labels: ['method', 'route', 'status'],
    help: 'Completed requests by route pattern. Route `unknown`: no such path or method; `unreadable`: not valid HTTP.',
  }),
  duration: histogram('offerbook_http_request_seconds', {
    labels: ['method', 'route'],
    help: 'Time from receiving the request headers to passing the response to the operating system.',
  }),
  connections: gauge('offerbook_http_connections', { help: 'Open client connections.' }),
  limits: counter('offerbook_limits_hit_total', {
    labels: ['limit'],
    help: 'Number of times each limit was reached: rate, login, body, bodies, headers, time, connections, disk, files_room, load.',
  }),
  events: counter('offerbook_events_total', {
    labels: ['event'],
    help: 'Number of times each other event occurred; see the events table.',
  }),
  commitWrites: histogram('offerbook_store_commit_writes', {
    help: 'Writes per commit. Each commit flushes to disk once.',
  }),
  waiting: gauge('offerbook_store_waiting', {
    labels: ['queue'],
    help: 'Pending database calls per queue: `writes`, and `lists`, which includes reads of group members.',
  }),
  oldestWait: gauge('offerbook_store_oldest_wait_seconds', {
    labels: ['queue'],
    help: 'Wait time of the oldest pending database call; 0 if none is pending.',
  }),
  storeBytes: gauge('offerbook_store_bytes', {
    help: 'Size of the database on disk; on SQLite, including its write-ahead log.',
  }),
  workDue: gauge('offerbook_work_due', {
    labels: ['kind'],
    help: 'Accounts with due background work that no process has leased, across all processes; absent while the database does not respond.',
  }),
  workOldest: gauge('offerbook_work_oldest_due_seconds', {
    labels: ['kind'],
    help: 'Time since the oldest due background work became due; 0 if none is due.',
  }),
  reviewDue: gauge('offerbook_review_due_offers', {
    help: 'Offers due for review, across all processes, up to 1 % low above 100,000 per account; absent while the database does not respond.',
  }),
  reviewOldest: gauge('offerbook_review_oldest_due_seconds', {
    help: 'Time since the longest-waiting offer became due for review; 0 if none is due.',
  }),
  reviewMissing: gauge('offerbook_review_accounts_missing', {
    help: 'Accounts not included in `offerbook_review_due_offers` and `offerbook_review_oldest_due_seconds` because their database node does not respond.',
  }),
  reviewVerdicts: counter('offerbook_review_verdicts_total', {
    labels: ['status'],
    help: 'Offers reviewed by this process, by resulting status.',
  }),
  imagesWaiting: gauge('offerbook_images_waiting', {
    help: 'Images in the download queue, across all processes, including those waiting for a retry.',
  }),
  imagesOldest: gauge('offerbook_images_oldest_wait_seconds', {
    help: 'Wait time of the oldest image whose download has not failed yet; 0 if none is waiting.',
  }),
  imageFetches: histogram('offerbook_image_fetch_seconds', {
    labels: ['outcome'],
    help: 'Duration of image downloads by this process, by outcome: fetched, unchanged, failed.',
  }),
  ready: gauge('offerbook_ready', { help: '1 if the readiness check of `/readyz` passes, else 0.' }),
  certificateEnd: gauge('offerbook_tls_certificate_end_seconds', {
    help: 'Expiry time of the certificate in TLS_CERT, in Unix time; absent without TLS_CERT.',
  }),
  cpuSeconds: counter('process_cpu_seconds_total', { help: 'User and system CPU time used by the process.' }),
  residentBytes: gauge('process_resident_memory_bytes', { help: 'Resident memory used by the process.' }),
  startSeconds: gauge('process_start_time_seconds', { help: 'Process start time, in Unix time.' }),
  heapBytes: gauge('nodejs_heap_size_used_bytes', { help: 'JavaScript heap memory in use.' }),
  externalBytes: gauge('nodejs_external_memory_bytes', { help: 'Memory used by buffers outside the JavaScript heap.' }),
  loopUtilization: gauge('nodejs_eventloop_utilization_ratio', {
    help: 'Share of time, from 0 to 1, that the request thread was busy since the last scrape.',
  }),
  threadPause: gauge('offerbook_request_thread_pause_seconds', {
    help: 'Longest time the request thread was blocked since the last scrape.',
  }),
  loopDelay: gauge('nodejs_eventloop_delay_seconds', {
    labels: ['quantile'],
    help: 'Event loop delay of the request thread since the last scrape: quantiles 0.5 and 0.99.',
  }),
});
