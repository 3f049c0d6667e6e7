/** Shows notifications. Their code loads with the first one, because most visits show none. */
import { useNotifications } from '@mantine/notifications';
import { useRef } from 'react';
import { lazyPart } from '../ui/lazy.tsx';

const NotificationList = lazyPart(() => import('./notification-list.ts'), 'NotificationList');

export function Notifications() {
  const { notifications } = useNotifications();
  const wasAny = useRef(false);
  wasAny.current ||= notifications.length > 0;
  return wasAny.current && <NotificationList position="bottom-right" />;
}
