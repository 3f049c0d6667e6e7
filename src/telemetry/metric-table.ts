/** Lists all metrics with type, labels and help; the metrics page and docs/operate/metrics.md are generated from it. */

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
  build: metric(
    'offerbook_build_info',
    'gauge',
    ['version', 'node'],
    'Always 1; the labels are the versions of Offerbook and Node.',
  ),
  requests: metric(
    'offerbook_http_requests_total',
    'counter',
    ['method', 'route', 'status'],
    'Completed requests by route pattern. Route `unknown`: no such path or method; `unreadable`: not valid HTTP.',
  ),
  duration: metric(
    'offerbook_http_request_seconds',
    'histogram',
    ['method', 'route'],
    'Time from receiving the request headers to passing the response to the operating system.',
  ),
  connections: metric('offerbook_http_connections', 'gauge', [], 'Open client connections.'),
  limits: metric(
    'offerbook_limits_hit_total',
    'counter',
    ['limit'],
    'Number of times each limit was reached: rate, login, body, bodies, headers, time, connections, disk, files_room, load.',
  ),
  events: metric(
    'offerbook_events_total',
    'counter',
    ['event'],
    'Number of times each other event occurred; see the events table.',
  ),
  commitWrites: metric(
    'offerbook_store_commit_writes',
    'histogram',
    [],
    'Writes per commit. Each commit flushes to disk once.',
  ),
  waiting: metric(
    'offerbook_store_waiting',
    'gauge',
    ['queue'],
    'Pending database calls per queue: `writes`, and `lists`, which includes reads of group members.',
  ),
  oldestWait: metric(
    'offerbook_store_oldest_wait_seconds',
    'gauge',
    ['queue'],
    'Wait time of the oldest pending database call; 0 if none is pending.',
  ),
  storeBytes: metric(
    'offerbook_store_bytes',
    'gauge',
    [],
    'Size of the database on disk; on SQLite, including its write-ahead log.',
  ),
  workDue: metric(
    'offerbook_work_due',
    'gauge',
    ['kind'],
    'Accounts with due background work that no process has leased, across all processes; absent while the database does not respond.',
  ),
  workOldest: metric(
    'offerbook_work_oldest_due_seconds',
    'gauge',
    ['kind'],
    'Time since the oldest due background work became due; 0 if none is due.',
  ),
  reviewDue: metric(
    'offerbook_review_due_offers',
    'gauge',
    [],
    'Offers due for review, across all processes, counted up to 100,000 per account; absent while the database does not respond.',
  ),
  reviewOldest: metric(
    'offerbook_review_oldest_due_seconds',
    'gauge',
    [],
    'Time since the longest-waiting offer became due for review; 0 if none is due.',
  ),
  reviewMissing: metric(
    'offerbook_review_accounts_missing',
    'gauge',
    [],
    'Accounts not included in `offerbook_review_due_offers` and `offerbook_review_oldest_due_seconds` because their database node does not respond.',
  ),
  reviewVerdicts: metric(
    'offerbook_review_verdicts_total',
    'counter',
    ['status'],
    'Offers reviewed by this process, by resulting status.',
  ),
  imagesWaiting: metric(
    'offerbook_images_waiting',
    'gauge',
    [],
    'Images in the download queue, across all processes, including those waiting for a retry.',
  ),
  imagesOldest: metric(
    'offerbook_images_oldest_wait_seconds',
    'gauge',
    [],
    'Wait time of the oldest image whose download has not failed yet; 0 if none is waiting.',
  ),
  imageFetches: metric(
    'offerbook_image_fetch_seconds',
    'histogram',
    ['outcome'],
    'Duration of image downloads by this process, by outcome: fetched, unchanged, failed.',
  ),
  ready: metric('offerbook_ready', 'gauge', [], '1 if the readiness check of `/readyz` passes, else 0.'),
  certificateEnd: metric(
    'offerbook_tls_certificate_end_seconds',
    'gauge',
    [],
    'Expiry time of the certificate in TLS_CERT, in Unix time; absent without TLS_CERT.',
  ),
  cpuSeconds: metric('process_cpu_seconds_total', 'counter', [], 'User and system CPU time used by the process.'),
  residentBytes: metric('process_resident_memory_bytes', 'gauge', [], 'Resident memory used by the process.'),
  startSeconds: metric('process_start_time_seconds', 'gauge', [], 'Process start time, in Unix time.'),
  heapBytes: metric('nodejs_heap_size_used_bytes', 'gauge', [], 'JavaScript heap memory in use.'),
  externalBytes: metric(
    'nodejs_external_memory_bytes',
    'gauge',
    [],
    'Memory used by buffers outside the JavaScript heap.',
  ),
  loopUtilization: metric(
    'nodejs_eventloop_utilization_ratio',
    'gauge',
    [],
    'Share of time, from 0 to 1, that the request thread was busy since the last scrape.',
  ),
  threadPause: metric(
    'offerbook_request_thread_pause_seconds',
    'gauge',
    [],
    'Longest time the request thread was blocked since the last scrape.',
  ),
  loopDelay: metric(
    'nodejs_eventloop_delay_seconds',
    'gauge',
    ['quantile'],
    'Event loop delay of the request thread since the last scrape: quantiles 0.5 and 0.99.',
  ),
});
