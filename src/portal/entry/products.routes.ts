import type { FastifyInstance } from 'fastify'
import type { LoanContext } from '../../loans/context.ts'
import { addRead } from '../../http/endpoint.ts'
import { ok } from '../../http/envelope.ts'
import { toRupees } from '../../platform/money.ts'
import { studentParams } from '../../students/student.input.ts'
import { productsDocs } from './entry.docs.ts'
import { ProductsQuery } from './entry.schemas.ts'
import { listProducts, type StudentProduct } from './products.service.ts'

/** A student's orders, plans and loans for the ERP. */
export function productRoutes(app: FastifyInstance, ctx: LoanContext): void {
  addRead(app, {
    url: '/api/v1/integrations/erp/students/:service_student_id/products',
    docs: productsDocs,
    params: studentParams,
    query: ProductsQuery,
    async answer({ caller, params, query }) {
      const products = await listProducts(ctx, caller.institute, params.studentId, query.product_type)
      return ok(products.map(productView))
    },
  })
}

function productView(product: StudentProduct): Record<string, unknown> {
  const { amountPaise, paidPaise } = product
  return {
    product_type: product.product,
    id: product.id,
    status: product.status,
    amount: amountPaise === null ? undefined : toRupees(amountPaise),
    paid_amount: paidPaise === null ? undefined : toRupees(paidPaise),
    created_at: product.createdAt.toISOString(),
  }
}
