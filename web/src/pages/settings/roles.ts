export const ROLE_CHOICES = [
  { value: 'owner', label: 'Owner: everything, including who has access' },
  { value: 'finance', label: 'Finance: orders, refunds, plans and settlements' },
  { value: 'cashier', label: 'Cashier: takes money at the counter, prints receipts, closes the own drawer' },
  { value: 'developer', label: 'Developer: keys, webhooks and the ERP' },
  { value: 'viewer', label: 'Viewer: sees everything, changes nothing' },
] as const
