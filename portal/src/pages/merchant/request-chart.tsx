/** Chart of the API requests of the last hour or day, and the rate limit. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { overviewQuery } from '../../api/overview.ts';
import { type RequestSpan, RequestsOverTime } from '../../ui/charts/requests-over-time.tsx';
import { useEnvironment } from '../../ui/environment.ts';
import { Panel } from '../../ui/panel.tsx';
import { QueryView } from '../../ui/query-view.tsx';

const REFRESH_MS = 10_000;

export function RequestChart() {
  const overview = useQuery({ ...overviewQuery(useEnvironment()), refetchInterval: REFRESH_MS });
  const [span, setSpan] = useState<RequestSpan>('minutes');
  return (
    <Panel title="API requests">
      <QueryView query={overview} what="API requests">
        {({ requests: { limit_per_minute, minutes, hours } }) => (
          <RequestsOverTime
            limitPerMinute={limit_per_minute}
            minutes={minutes}
            hours={hours}
            span={span}
            setSpan={setSpan}
          />
        )}
      </QueryView>
    </Panel>
  );
}
