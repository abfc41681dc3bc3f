/**
 * The house's one-way rule as a lint rule. An import points down (edge -> service -> outside -> rules ->
 * platform) or sideways inside its feature; between features it follows the rank list and never reaches
 * another feature's store or client. Type imports count: a type is knowledge too.
 */
const FEATURE_RANK = [
  ['ledger', 'events'],
  ['institutes'],
  ['messages', 'receipts', 'request-log'],
  ['fees'],
  ['students'],
  ['erp'],
  ['orders'],
  ['providers'],
  ['payments'],
  ['dues', 'payment-pages', 'flex', 'loans'],
  ['imports', 'bharat-connect'],
  ['banking', 'reminders'],
  ['leaving'],
  ['webhooks'],
  ['portal', 'console'],
  ['assistant'],
  ['sandbox'],
  ['cells'],
]

const LAYER_RANK: Record<string, number> = { routes: 4, service: 3, store: 2, client: 2, rules: 1 }

type SourceFile = { area: string; rank: number | null; layer: string | null; path: string }

export function placeOf(srcPath: string): SourceFile {
  const [area = ''] = srcPath.split('/')
  const rank = FEATURE_RANK.findIndex(names => names.includes(area))
  const layer = /\.(routes|service|store|client|rules)\.ts$/.exec(srcPath)?.[1] ?? null
  return { area, rank: rank < 0 ? null : rank, layer, path: srcPath }
}

/** Returns why the import is not allowed, or null when it is. */
export function refusal(importer: SourceFile, target: SourceFile): string | null {
  if (importer.area === 'platform' && target.area !== 'platform') {
    return 'platform knows no feature and no edge'
  }
  if (importer.area === 'http' && target.rank !== null && target.area !== 'institutes') {
    return 'the shared edge knows no feature but institutes, whose keys it checks'
  }
  if (target.area === 'http' && importer.rank !== null && !isEdge(importer)) {
    return 'only edge files (routes, input, output, list, events, schemas, docs, pages) may use http/'
  }
  if (importer.rank === null || target.rank === null) return rulesReachOut(importer, target)
  if (importer.area === target.area) return insideFeature(importer, target)
  if (target.rank >= importer.rank) return `${importer.area} ranks below ${target.area} and may not use it`
  if (target.layer === 'store' || target.layer === 'client') {
    return `use the service or rules of ${target.area}, never its ${target.layer}`
  }
  return rulesReachOut(importer, target) ?? insideFeature(importer, target)
}

/** The frame of all pages belongs to it, under its plain name. */
const FRAME = 'portal/layout.ts'

function isEdge(place: SourceFile): boolean {
  return (
    place.layer === 'routes' ||
    place.path === FRAME ||
    /\.(schemas|docs|pages|input|output|events|list)\.ts$/.test(place.path)
  )
}

function insideFeature(importer: SourceFile, target: SourceFile): string | null {
  if (importer.layer === null || target.layer === null) return null
  if (importer.layer === 'routes' && (target.layer === 'store' || target.layer === 'client')) {
    return 'routes call a service, never a store or client'
  }
  const from = LAYER_RANK[importer.layer] ?? 0
  const to = LAYER_RANK[target.layer] ?? 0
  return from < to ? `${importer.layer} may not import ${target.layer}: imports point down` : null
}

const PURE_GROUND =
  /^platform\/(lists|money|calendar|contacts|names|languages|errors|ids|assert|.+\.rules)\.ts$/

function rulesReachOut(importer: SourceFile, target: SourceFile): string | null {
  if (importer.layer !== 'rules') return null
  if (target.area === 'platform' && !PURE_GROUND.test(target.path)) {
    return 'rules are pure: no clock, no I/O'
  }
  return null
}

type ImportNode = { source?: { value?: unknown } | null }
type RuleContext = { filename: string; report(problem: { node: unknown; message: string }): void }

const oneWay = {
  create(context: RuleContext) {
    const marker = '/src/'
    const at = context.filename.lastIndexOf(marker)
    if (at < 0) return {}
    const importer = placeOf(context.filename.slice(at + marker.length))
    const check = (node: ImportNode): void => {
      const specifier = node.source?.value
      if (typeof specifier !== 'string') return
      if (importer.layer === 'rules' && /^(node:(?!assert)|pg$|fastify)/.test(specifier)) {
        context.report({ node, message: 'rules are pure: no clock, no I/O' })
      }
      if (!specifier.startsWith('.')) return
      const resolved = new URL(specifier, `file:///${importer.path}`).pathname.slice(1)
      const why = refusal(importer, placeOf(resolved))
      if (why !== null) context.report({ node, message: `${importer.path} imports ${resolved}: ${why}` })
    }
    return { ImportDeclaration: check, ExportNamedDeclaration: check, ExportAllDeclaration: check }
  },
}

export default { meta: { name: 'layers' }, rules: { 'one-way': oneWay } }
