import { parseSync } from 'vite'

/** One place where a file names another file or a package. */
export interface ImportSite {
  /** What stands in the source; `undefined` where it is computed and cannot be known. */
  readonly specifier: string | undefined
  /** Line in the file, from 1. */
  readonly line: number
  readonly how: 'static' | 'type' | 're-export' | 'dynamic' | 'url' | 'reference'
}

/** A name that a file uses without declaring where it comes from, such as `fetch` or `Promise`. */
export interface NameSite {
  readonly name: string
  readonly line: number
}

/** What one source file says about the outside. */
export interface SourceFacts {
  readonly imports: readonly ImportSite[]
  readonly names: readonly NameSite[]
  /** Lines with `async`, `await` or `for await`. */
  readonly asyncLines: readonly number[]
}

/** A node of the syntax tree; the parser's own types list several hundred kinds. */
interface SyntaxNode {
  readonly type: string
  readonly start: number
  readonly [key: string]: unknown
}

/**
 * Reads a TypeScript or JavaScript file with Vite's own parser.
 *
 * Throws if the parser finds an error: a file that cannot be read must not pass for one without
 * imports.
 */
export function readSource(path: string, text: string): SourceFacts {
  const language = path.endsWith('x') ? 'tsx' : 'ts'
  const { program, errors, comments } = parseSync(path, text, {
    lang: language,
    sourceType: 'module',
  })
  if (errors.length > 0) throw new Error(`${path} does not parse: ${errors[0]?.message}`)
  const lineOf = (offset: number) => text.slice(0, offset).split('\n').length
  // Safe: every node of an ESTree has `type` and `start`; the rest is read with checks.
  const nodes = [...nodesBelow(program as unknown as SyntaxNode)]
  const located = ({ start }: SyntaxNode) => lineOf(start)
  return {
    imports: [
      ...nodes.flatMap((node) => importsAt(node).map((site) => ({ ...site, line: located(node) }))),
      ...comments.flatMap((comment) =>
        referencesIn(comment.value).map((site) => ({ ...site, line: lineOf(comment.start) })),
      ),
    ],
    names: nodes
      .filter((node) => node.type === 'Identifier')
      .map((node) => ({ name: String(node.name), line: located(node) })),
    asyncLines: nodes.filter(isAsync).map(located),
  }
}

/** All nodes of a tree; names of members, keys and labels are left out, since they refer to nothing. */
function* nodesBelow(node: SyntaxNode): Generator<SyntaxNode> {
  yield node
  for (const [key, value] of Object.entries(node)) {
    if (isPlainName(node, key)) continue
    for (const child of Array.isArray(value) ? value : [value]) {
      if (isNode(child)) yield* nodesBelow(child)
    }
  }
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}

function isPlainName(node: SyntaxNode, key: string): boolean {
  const computed = node.computed === true
  if (key === 'property') return !computed
  if (key === 'key') return !computed && node.shorthand !== true
  return key === 'label' || key === 'meta'
}

function isAsync(node: SyntaxNode): boolean {
  return node.async === true || node.await === true || node.type === 'AwaitExpression'
}

type Site = Omit<ImportSite, 'line'>

function importsAt(node: SyntaxNode): Site[] {
  switch (node.type) {
    case 'ImportDeclaration':
      return [
        { specifier: literal(node.source), how: node.importKind === 'type' ? 'type' : 'static' },
      ]
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
      return isNode(node.source) ? [{ specifier: literal(node.source), how: 're-export' }] : []
    case 'ImportExpression':
      return [{ specifier: literal(node.source), how: 'dynamic' }]
    case 'TSImportType':
      return [{ specifier: literal(node.source), how: 'type' }]
    case 'TSExternalModuleReference':
      return [{ specifier: literal(node.expression), how: 'static' }]
    case 'NewExpression':
    case 'CallExpression':
      return importsOfCall(node)
    default:
      return []
  }
}

/** `new URL(x, import.meta.url)`, `import.meta.resolve(x)`, `import.meta.glob(x)`, `require(x)`. */
function importsOfCall(node: SyntaxNode): Site[] {
  // Safe: both kinds of call hold their arguments in an array of nodes.
  const [first, second] = node.arguments as readonly SyntaxNode[]
  const callee = node.callee
  if (!isNode(callee)) return []
  if (callee.type === 'Identifier' && callee.name === 'require') {
    return [{ specifier: literal(first), how: 'dynamic' }]
  }
  if (callee.type === 'Identifier' && callee.name === 'importScripts') {
    return [{ specifier: literal(first), how: 'dynamic' }]
  }
  if (callee.type === 'MemberExpression' && isImportMeta(callee.object)) {
    return [{ specifier: memberName(callee) === 'glob' ? undefined : literal(first), how: 'url' }]
  }
  return second !== undefined && mentionsImportMeta(second)
    ? [{ specifier: literal(first), how: 'url' }]
    : []
}

function isImportMeta(node: unknown): boolean {
  return isNode(node) && node.type === 'MetaProperty'
}

function mentionsImportMeta(node: SyntaxNode): boolean {
  return [...nodesBelow(node)].some(isImportMeta)
}

function memberName(member: SyntaxNode): string | undefined {
  return isNode(member.property) ? String(member.property.name) : undefined
}

/** The text of a string or of a template without holes; `undefined` for anything computed. */
function literal(node: unknown): string | undefined {
  if (!isNode(node)) return undefined
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value
  if (node.type !== 'TemplateLiteral' || !Array.isArray(node.quasis)) return undefined
  if (node.quasis.length !== 1) return undefined
  const [only] = node.quasis
  // Safe: a template's element carries its cooked text.
  return (only as { value: { cooked: string } }).value.cooked
}

/** Triple-slash references, which TypeScript follows like imports. */
function referencesIn(comment: string): Site[] {
  const found = /^\/\s*<reference\s+(?:path|types)\s*=\s*["']([^"']+)["']/.exec(comment)
  return found === null ? [] : [{ specifier: found[1], how: 'reference' }]
}
