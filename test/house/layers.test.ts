import assert from 'node:assert/strict'
import { test } from 'node:test'
import { placeOf, refusal } from '../../tools/layers.ts'

function why(importer: string, target: string): string | null {
  return refusal(placeOf(importer), placeOf(target))
}

test('an import that points down or sideways is allowed', () => {
  const allowed: [string, string][] = [
    ['orders/orders.routes.ts', 'orders/orders.service.ts'],
    ['orders/orders.routes.ts', 'http/endpoint.ts'],
    ['orders/orders.service.ts', 'orders/orders.store.ts'],
    ['orders/orders.service.ts', 'institutes/catalogue.service.ts'],
    ['orders/orders.store.ts', 'orders/orders.rules.ts'],
    ['orders/orders.rules.ts', 'platform/money.ts'],
    ['portal/checkout.routes.ts', 'orders/orders.service.ts'],
    ['http/auth.ts', 'institutes/keys.service.ts'],
    ['app/routes.ts', 'webhooks/subscriptions/subscriptions.routes.ts'],
  ]
  for (const [importer, target] of allowed)
    assert.equal(why(importer, target), null, `${importer} -> ${target}`)
})

test('every import that points up, past a service or out of the platform is refused', () => {
  const refused: [string, string][] = [
    ['orders/orders.rules.ts', 'orders/orders.store.ts'],
    ['orders/orders.rules.ts', 'platform/db/database.ts'],
    ['orders/orders.rules.ts', 'platform/clock.ts'],
    ['orders/orders.store.ts', 'orders/orders.service.ts'],
    ['orders/orders.service.ts', 'orders/orders.routes.ts'],
    ['orders/orders.routes.ts', 'orders/orders.store.ts'],
    ['orders/orders.service.ts', 'institutes/institutes.store.ts'],
    ['students/students.service.ts', 'orders/orders.service.ts'],
    ['events/events.service.ts', 'webhooks/subscriptions/subscriptions.service.ts'],
    ['orders/orders.service.ts', 'webhooks/subscriptions/subscriptions.service.ts'],
    ['orders/orders.service.ts', 'http/reply.ts'],
    ['platform/db/database.ts', 'orders/orders.rules.ts'],
    ['platform/db/database.ts', 'http/reply.ts'],
    ['http/endpoint.ts', 'orders/orders.service.ts'],
    ['flex/plans/plans.service.ts', 'loans/applications.service.ts'],
    ['erp/pull/pull.service.ts', 'students/students.store.ts'],
    ['students/profile/update.service.ts', 'fees/fees.store.ts'],
    ['students/profile/profile.rules.ts', 'erp/erp.rules.ts'],
    ['imports/kinds/erp/erp-rows.service.ts', 'fees/fees.store.ts'],
  ]
  for (const [importer, target] of refused)
    assert.notEqual(why(importer, target), null, `${importer} -> ${target}`)
})
