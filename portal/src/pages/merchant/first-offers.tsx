/** Shown in an environment without offers: the ways to add offers. In the live environment, it says that test offers stay in test. */
import { useQuery } from '@tanstack/react-query';
import { overviewQuery } from '../../api/overview.ts';
import { useMayChange } from '../../api/session.ts';
import { useEnvironment } from '../../ui/environment.ts';
import { ButtonLink } from '../../ui/links.tsx';
import { countOf } from '../../ui/numbers.ts';
import { Empty } from '../../ui/states.tsx';

export function FirstOffers() {
  const environment = useEnvironment();
  const mayChange = useMayChange();
  const test = useQuery({ ...overviewQuery('test'), enabled: environment === 'live' });
  const tested = environment === 'live' ? (test.data?.offers.total ?? 0) : 0;
  const own = useQuery(overviewQuery(environment));
  const params = { environment };
  return (
    <Empty
      title="No offers yet"
      action={
        <>
          {mayChange && (
            <ButtonLink to="/$environment/add-offer" params={params}>
              Add offer
            </ButtonLink>
          )}
          <ButtonLink to="/$environment/files" params={params} variant="default">
            Upload a file
          </ButtonLink>
          <ButtonLink to="/$environment/api-integration" params={params} variant="default">
            Connect via API
          </ButtonLink>
        </>
      }
    >
      {tested === 0
        ? 'Your offers appear here after you add them.'
        : `Offers are not copied from the test environment, which has ${countOf(tested, 'offer')}. To go live, ${own.data?.first_steps.location ? '' : 'add a location in Settings, then '}add the offers with price and stock here: upload the same files, or use a live API key.`}
    </Empty>
  );
}
