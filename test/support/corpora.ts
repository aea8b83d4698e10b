import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Draw, drawFrom } from './generate/draw.ts'

/** The kinds of text that a chat with tools is made of. */
export const corpusNames = ['prose', 'code', 'json', 'cjk', 'base64', 'logs', 'emoji'] as const
export type CorpusName = (typeof corpusNames)[number]

/**
 * Gives back one text of each kind, of as many UTF-16 units; the same text every time, for the same sources: prose
 * and code are those of this repository.
 */
export function corpora(units: number): Readonly<Record<CorpusName, string>> {
  return {
    prose: prose(units),
    code: code(units),
    json: repeated(units, 11, jsonPage),
    cjk: repeated(units, 13, cjkParagraph),
    base64: base64(units),
    logs: repeated(units, 17, logLine),
    emoji: repeated(units, 19, emojiLine),
  }
}

/** Adds pieces until there is enough, and gives back a string of its own: a rope or a slice would be slower to read. */
function repeated(units: number, seed: number, piece: (draw: Draw) => string): string {
  const draw = drawFrom(seed)
  const pieces: string[] = []
  for (let length = 0; length < units; ) {
    const made = piece(draw)
    pieces.push(made)
    length += made.length
  }
  return flat(pieces.join('').slice(0, units))
}

function flat(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le')
}

const sourceFolders = ['src', 'test', 'demo', 'worker', 'e2e']
const documents = ['ARCHITECTURE.md', 'README.md', 'CHANGELOG.md', 'SECURITY.md']

function sources(): string[] {
  const paths = sourceFolders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
  )
  return paths
    .filter((path) => /\.tsx?$/.test(path))
    .sort()
    .map((path) => readFileSync(path, 'utf8'))
}

function code(units: number): string {
  const once = sources().join('\n')
  return flat(once.repeat(Math.ceil(units / once.length)).slice(0, units))
}

/** Sentences that follow the habits of this repository's documents and comments, word by word. */
function prose(units: number): string {
  const comments = sources().flatMap((text) => text.match(/\/\*\*[\s\S]*?\*\/|\/\/ .*/g) ?? [])
  const written = [...documents.map((path) => readFileSync(path, 'utf8')), ...comments].join(' ')
  const words = written
    .replace(/[/*|`#─▶►┘└│┊▲]+|https?:\S+/g, ' ')
    .split(/\s+/)
    .filter((word) => /[a-z]/i.test(word))
  const followers = new Map<string, string[]>()
  for (const [at, word] of words.entries()) {
    const next = words[at + 1] ?? 'The'
    followers.set(word, [...(followers.get(word) ?? []), next])
  }
  let word = 'The'
  return repeated(units, 23, (draw) => {
    const followed = draw.chance(4) ? [name(draw)] : (followers.get(word) ?? words)
    word = draw.pick(followed)
    const end = word.endsWith('.') && draw.chance(15) ? '\n\n' : ' '
    return word + end
  })
}

const syllables =
  'ka lo mer tin ves ru bal dor fen gis hal ju kor lin mos nav or pel qui ras sol tam ur vin wex yor zan ber chi del'.split(
    ' ',
  )

/** A name or a rare word. */
function name(draw: Draw): string {
  const made = Array.from({ length: 2 + draw.below(3) }, () => draw.pick(syllables)).join('')
  return draw.chance(60) ? made.charAt(0).toUpperCase() + made.slice(1) : made
}

const fieldWords =
  'status error user account payment invoice region server request response token cache build deploy message thread order item product review customer support ticket search result index vector score metric alert session device profile feature toggle queue worker batch schedule report export import'.split(
    ' ',
  )

const some = (draw: Draw, count: number): string =>
  Array.from({ length: count }, () => draw.pick(fieldWords)).join(' ')

const hex = (draw: Draw, digits: number): string =>
  Array.from({ length: digits }, () => draw.below(16).toString(16)).join('')

const instant = (draw: Draw): string =>
  new Date(1_700_000_000_000 + draw.below(60_000_000) * 1000 + draw.below(1000)).toISOString()

/** A page of a list, as an API answers it. */
function jsonPage(draw: Draw): string {
  const items = Array.from({ length: 12 }, () => ({
    id: `${hex(draw, 8)}-${hex(draw, 4)}-4${hex(draw, 3)}-a${hex(draw, 3)}-${hex(draw, 12)}`,
    name: some(draw, 3),
    created_at: instant(draw),
    amount: draw.below(1_000_000) / 100,
    ok: draw.chance(70),
    url: `https://api.example.com/v2/${draw.pick(fieldWords)}/${draw.below(10_000_000)}?page=${draw.below(90)}`,
    tags: [draw.pick(fieldWords), draw.pick(fieldWords), name(draw)],
    meta: {
      etag: hex(draw, 16),
      retries: draw.below(5),
      note: draw.chance(50) ? null : some(draw, 9),
    },
  }))
  const page = { total: items.length, next: hex(draw, 20), items }
  return `${JSON.stringify(page, undefined, draw.chance(50) ? 2 : 0)}\n`
}

const chinese =
  '我们 需要 系统 服务器 请求 响应 数据 模型 窗口 上下文 消息 用户 文件 错误 测试 代码 函数 返回 参数 类型 可以 如果 因为 所以 但是 已经 没有 这个 那个 问题 时间 保存 删除 压缩 摘要 对话 工具 调用 结果 长度 限制 浏览器 内存 缓存 版本 更新 配置 运行 速度 显示 关闭 打开 第一次 必须 另外 一般 检查 计算 字符 语言 設定 檔案 資料 伺服器 軟體 網路 程式 執行 訊息 視窗 記憶體 使用者 預設 連線'.split(
    ' ',
  )
const japanese =
  'この 会話 は です ます を の に が と で 要約 する した 場合 モデル ウィンドウ トークン 数 メッセージ ユーザー ファイル エラー サーバー リクエスト 必要 変更 できます ください について ブラウザ 保存 削除 実行 関数 引数 結果 表示 設定 確認 テスト データ 長さ 上限 超える 前 後 すべて 新しい 古い 場所 時間'.split(
    ' ',
  )
const korean =
  '대화 모델 요청 응답 메시지 사용자 파일 오류 서버 데이터 필요 합니다 있습니다 없습니다 그리고 하지만 경우 결과 함수 매개변수 저장 삭제 실행 브라우저 메모리 설정 확인 테스트 길이 제한 요약 도구 호출 시간 문제 새로운 이전 모든 변경 가능 때문에 다음 처음'.split(
    ' ',
  )
/** The block of common ideographs, and how much of it names are drawn from. */
const IDEOGRAPHS = 0x4e00
const IDEOGRAPH_RANGE = 8_000

/** A paragraph in one of the three languages, with names that no vocabulary knows. */
function cjkParagraph(draw: Draw): string {
  const language = draw.pick(['zh', 'ja', 'ko'] as const)
  const words = { zh: chinese, ja: japanese, ko: korean }[language]
  const gap = language === 'ko' ? ' ' : ''
  const sentence = () => {
    const parts = Array.from({ length: 2 + draw.below(7) }, () =>
      draw.chance(6) && language !== 'ko' ? ideographs(draw) : draw.pick(words),
    )
    return `${parts.join(gap)}${draw.pick(['。', '，', '、', '！', '？', '：'])}`
  }
  return `${Array.from({ length: 4 }, sentence).join('')}${draw.chance(40) ? ' API v2.1 ' : '\n'}`
}

function ideographs(draw: Draw): string {
  const points = Array.from({ length: 2 }, () => IDEOGRAPHS + draw.below(IDEOGRAPH_RANGE))
  return String.fromCodePoint(...points)
}

function base64(units: number): string {
  const draw = drawFrom(5)
  const bytes = Buffer.from(Array.from({ length: Math.ceil(units * 0.75) }, () => draw.below(256)))
  return flat(bytes.toString('base64').slice(0, units))
}

function logLine(draw: Draw): string {
  const level = draw.pick(['INFO', 'WARN', 'ERROR', 'DEBUG'])
  const source = `${draw.pick(fieldWords)}-${draw.below(64)}`
  const address = `10.${draw.below(255)}.${draw.below(255)}.${draw.below(255)}`
  const line = `${instant(draw)} ${level} [${source}] ${draw.pick(fieldWords)}.${draw.pick(fieldWords)} - ${some(draw, 6)} trace=${hex(draw, 32)} ip=${address} took=${draw.below(9000)}ms\n`
  if (!draw.chance(4)) return line
  const place = `${draw.pick(fieldWords)}/${name(draw)}.ts:${draw.below(900)}:${draw.below(80)}`
  return `${line}    at ${draw.pick(fieldWords)} (/srv/app/src/${place})\n`
}

const simpleEmoji = [...'😀😂🥰👍🎉🔥🚀💯🙏✨👀🤔😭🤣✅🐛💡🎯🌍🍕']
/** Several code points each: joined people, skin tones, flags, presentation selectors. */
const joinedEmoji = [
  '👨‍👩‍👧‍👦',
  '👩🏽‍💻',
  '🏳️‍🌈',
  '🧑🏿‍🚀',
  '👩‍❤️‍👨',
  '🇯🇵',
  '🇩🇪',
  '🇧🇷',
  '👋🏻',
  '🤷🏾‍♀️',
  '1️⃣',
  '❤️',
  '⚠️',
]

function emojiLine(draw: Draw): string {
  const marks = Array.from({ length: 1 + draw.below(5) }, () =>
    draw.pick(draw.chance(70) ? simpleEmoji : joinedEmoji),
  )
  return `${some(draw, 1 + draw.below(3))} ${marks.join('')}${draw.chance(20) ? '\n' : ' '}`
}
