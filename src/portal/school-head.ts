import type { Institute } from '../institutes/institutes.rules.ts'

/** The name of the school at the head of a page, with its logo and colour where it has them. */
export function schoolHead({ code, name, color, logoTag }: Institute): Record<string, unknown> {
  return {
    institute: name,
    brand: {
      style: color === null ? null : `/brand/${code}/${color.slice(1)}.css`,
      logo: logoTag === null ? null : `/brand/${code}/logo/${logoTag}`,
    },
  }
}
