/** The roles as people choose them. */
export const ROLE_CHOICES = [
  { value: 'owner', label: 'Owner: everything, and who else gets in' },
  { value: 'finance', label: 'Finance: orders, refunds, plans and settlements' },
  { value: 'developer', label: 'Developer: keys, webhooks and the ERP' },
  { value: 'viewer', label: 'Viewer: looks at everything, changes nothing' },
] as const
