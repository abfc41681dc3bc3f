import type { FastifyInstance } from 'fastify'
import type { LoanContext } from '../../loans/context.ts'
import { addRead } from '../../http/endpoint.ts'
import { ok } from '../../http/envelope.ts'
import { toRupees } from '../../platform/money.ts'
import { StudentParams } from '../../students/students.schemas.ts'
import { productsDocs } from './entry.docs.ts'
import { ProductsQuery } from './entry.schemas.ts'
import { listProducts, type StudentProduct } from './products.service.ts'

/** What a student has of every product, for the ERP. */
export function productRoutes(app: FastifyInstance, ctx: LoanContext): void {
  addRead(app, {
    url: '/api/v1/integrations/erp/students/:service_student_id/products',
    docs: productsDocs,
    params: StudentParams,
    query: ProductsQuery,
    async answer({ caller, params, query }) {
      const { service_student_id: studentId } = params
      const products = await listProducts(ctx, caller.institute, studentId, query.product_type)
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
