/** Renders the notifications. A module of its own, because an import of the package would load all of it. */
export { Notifications as NotificationList } from '@mantine/notifications';
