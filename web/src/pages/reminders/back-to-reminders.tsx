import { Crumbs, type Crumb } from '../../ui/link/crumbs.tsx'

const TRAIL: readonly Crumb[] = [
  { label: 'Money', to: '/i/$institute/money' },
  { label: 'Reminders', to: '/i/$institute/money', search: { view: 'reminders' } },
]

/** They are listed among the pages of money. */
export function BackToReminders() {
  return <Crumbs trail={TRAIL} />
}
