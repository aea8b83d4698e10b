import type { NativeMessage, Opening } from '../chat/opening.ts'

const user = (...lines: readonly string[]): NativeMessage => ({
  role: 'user',
  content: lines.join('\n'),
})

const assistant = (...lines: readonly string[]): NativeMessage => ({
  role: 'assistant',
  content: lines.join('\n'),
})

const inventory = [
  ['gateway', 'Tariq', '8443', 'two instances, terminates TLS, keeps no state'],
  ['catalog', 'Joao', '7100', 'reads from the replica, caches products for ten minutes'],
  ['ledger', 'Odile', '7443', 'writes orders and invoices, must never run twice at the same time'],
  ['search', 'Wanjiru', '9310', 'one index of 31 GB, can be rebuilt from the catalog'],
  ['mailer', 'Petra', '2525', 'queue of mails, sends at most 40 a second'],
  [
    'images',
    'Joao',
    '8090',
    'original files in the bucket larkspur-originals, thumbnails on a local disk',
  ],
  ['worker', 'Ines', 'none', 'nightly export, stock reconciliation, clean-up of baskets'],
  ['portal', 'nobody yet', '8181', 'wholesale customers, about 60 logins a day'],
] as const

const steps = [
  'Lower the lifetime of the DNS records to 60 seconds, one day ahead.',
  'Freeze the schema; no migrations after Thursday noon.',
  'Copy the database to the new cluster and let the replica catch up.',
  'Copy the originals of the images; thumbnails are made anew.',
  'Start gateway, catalog and search on the new cluster, without traffic.',
  'Show the maintenance page and stop the worker, then the ledger.',
  'Wait until the replica has no lag, then promote it.',
  'Start the ledger on the new cluster and place a test order of one cent.',
  'Switch the DNS records and watch the gateway for ten minutes.',
  'Start the mailer and the worker, take the maintenance page away.',
  'Compare the number of orders on both sides and sign the protocol.',
] as const

const risks = [
  [
    'Two ledgers at once',
    'would number invoices twice',
    'the lease in the database is checked before the start',
  ],
  [
    'Replica lag',
    'would lose the newest orders',
    'promote only at zero lag, read twice, ten seconds apart',
  ],
  [
    'Old DNS answers',
    'send customers to a dead host',
    'the old gateway forwards to the new one for 72 hours',
  ],
  [
    'Mail sent twice',
    'annoys customers',
    'the queue is drained on the old side first, never copied',
  ],
  [
    'Missing thumbnails',
    'slow product pages',
    'the 2,000 most seen products are visited by a script at once',
  ],
  [
    'Certificates',
    'would break the portal',
    'issued on Wednesday, checked by a request with the final host name',
  ],
] as const

const hosts = [
  ['lark-a1', 'gateway', '4 cores, 8 GB', 'first instance, holds the certificates'],
  ['lark-a2', 'gateway', '4 cores, 8 GB', 'second instance, takes over within 10 seconds'],
  ['lark-b1', 'catalog', '8 cores, 16 GB', 'started with an empty cache'],
  ['lark-b2', 'catalog', '8 cores, 16 GB', 'stands by until the first one is warm'],
  ['lark-c1', 'ledger', '8 cores, 32 GB', 'the only one that may write orders'],
  ['lark-d1', 'database primary', '16 cores, 128 GB', 'two disks of 1 TB, mirrored'],
  ['lark-d2', 'database replica', '16 cores, 128 GB', 'in the other fire section'],
  ['lark-e1', 'search', '12 cores, 64 GB', 'index on a local disk'],
  ['lark-f1', 'images', '4 cores, 16 GB', 'thumbnails on a disk of 400 GB'],
  ['lark-g1', 'mailer', '2 cores, 4 GB', 'sends from two addresses'],
  ['lark-h1', 'worker', '8 cores, 16 GB', 'no access from outside'],
  ['lark-i1', 'portal', '2 cores, 8 GB', 'only wholesale customers'],
] as const

const acceptance = [
  ['Home page in four languages', 'Joao', 'answers within 800 ms in each of the three cities'],
  ['Search for "brass lantern"', 'Wanjiru', 'finds at least 14 products, the first one is BL-2207'],
  ['Basket with three products', 'Mireille', 'keeps its content after the customer signs in'],
  ['Test order of one cent', 'Odile', 'gets the next invoice number and is booked once'],
  ['Invoice as a PDF', 'Odile', 'shows the new address of the company and the right tax'],
  ['Mail of confirmation', 'Petra', 'arrives within two minutes and comes from the new sender'],
  ['Return label', 'Mireille', 'can be printed for an order that was placed on the old side'],
  ['Wholesale price list', 'nobody yet', 'opens in the portal and has 3,118 lines'],
  ['Stock of product HK-0091', 'Ines', 'is the same on both sides after ten minutes'],
  ['Image of a new product', 'Joao', 'appears in three sizes after the first visit'],
] as const

const messages: readonly NativeMessage[] = [
  user(
    'We are moving the online shop Larkspur to a new cluster on Friday night and I want to plan it with you.',
    'Two things to keep in mind all the way: the deploy key is amber-otter-7731, and nothing may be deleted on the old cluster before Odile has signed the protocol.',
    'The window for the move is 22:00 to 02:00.',
  ),
  assistant(
    'Understood. I keep in mind:',
    '',
    '- the deploy key for Friday,',
    '- that nothing is deleted on the old cluster before Odile has signed the protocol,',
    '- the window from 22:00 to 02:00.',
    '',
    'To plan the order of the steps I need to know which services there are, who looks after them and what each of them must not do.',
  ),
  user(
    'Here is the inventory:',
    '',
    ...inventory.map(
      ([name, owner, port, note]) => `- ${name}: owner ${owner}, port ${port}; ${note}.`,
    ),
    '',
    'The database is 212 GB, of which 140 GB are the order archive. Customers are mostly in Lisbon, Lyon and Nairobi.',
  ),
  assistant(
    'Thank you. What follows from it:',
    '',
    '| service | can run twice | needs data first | moves |',
    '| --- | --- | --- | --- |',
    '| gateway | yes | no | early, without traffic |',
    '| catalog | yes | replica | early |',
    '| ledger | **no** | promoted database | last, alone |',
    '| search | yes | catalog | early, rebuild in advance |',
    '| mailer | no | empty queue | after the ledger |',
    '| images | yes | originals | early |',
    '| worker | no | ledger | at the very end |',
    '| portal | yes | gateway | with the gateway |',
    '',
    'The ledger decides about the length of the interruption: everything that can run twice is started before it, so that only the promotion of the database lies inside the window. The portal has no owner yet; someone should be named before Thursday.',
  ),
  user(
    'Good. Write the steps down in their order, please. The schema freeze begins on Thursday noon.',
  ),
  assistant(
    'The order of the steps:',
    '',
    ...steps.map((step, index) => `${index + 1}. ${step}`),
    '',
    'Steps 1 to 5 happen before the window, 6 to 10 inside it, 11 after it. Between step 6 and step 9 customers see the maintenance page. From your numbers I expect 35 to 45 minutes for that part.',
  ),
  user(
    'Wanjiru decides whether to turn back, at 00:30 at the latest. After that we go on whatever happens.',
    'Also note that the support line is +351 21 555 0142 and that Mireille answers there during the move.',
  ),
  assistant(
    'Noted: Wanjiru decides about turning back, at 00:30 at the latest, and Mireille answers the support line during the move.',
    '',
    'Turning back before step 7 costs nothing: the maintenance page is taken away and the old cluster goes on. After step 7 the orders written on the new side would have to be copied back, which takes about 20 minutes. That is why the decision should fall between step 8 and step 9, with the test order as its basis.',
  ),
  user(
    'These are the machines of the new cluster, all in the hall in Frankfurt:',
    '',
    ...hosts.map(([host, role, size, note]) => `- ${host}: ${role}, ${size}; ${note}.`),
    '',
    'The addresses come from the range 10.44.16.0/24, the management network is 10.44.17.0/24. Access goes through the jump host lark-jump, and only with a hardware token. Tariq and Ines have one, Wanjiru gets hers on Thursday.',
  ),
  assistant(
    'I have the twelve machines. Compared with the inventory:',
    '',
    '- **gateway** and **catalog** have two machines each, so both can be tested before the window without touching the customers.',
    '- **ledger** has one machine, as it should: a second one would be an invitation to start it twice.',
    '- **database**: primary and replica stand in different fire sections. The promotion in step 7 concerns lark-d1; lark-d2 becomes its replica afterwards and needs about 50 minutes to catch up.',
    '- **images**: 400 GB are enough for the thumbnails of about 2.6 million pictures; at present there are 1.9 million.',
    '- **mailer** is the smallest machine. At 40 mails a second it needs one of its two cores.',
    '',
    'Two people with a hardware token are enough for the night, but one of them must not be the person who decides about turning back. With Tariq and Ines that holds.',
  ),
  user(
    'And the acceptance tests, in the order in which we go through them after the switch:',
    '',
    ...acceptance.map(([name, owner, goal]) => `- ${name} (${owner}): ${goal}.`),
    '',
    'Each test has at most five minutes. Whoever is not through by then says so in the call; we then go on with the next one and come back.',
  ),
  assistant(
    'Ten tests of at most five minutes each are fifty minutes if they run one after the other. Many can run at the same time:',
    '',
    '1. At once after step 9: home page, search, image of a new product. Joao and Wanjiru share them.',
    '2. Together with the test order: invoice as a PDF and mail of confirmation, since both follow from it.',
    '3. After that: basket, return label and stock. They need the ledger, but not each other.',
    '4. Last: the wholesale price list, as soon as the portal has an owner.',
    '',
    'In that order I expect 20 minutes. The test order is the one that counts: as long as it has not been booked exactly once, the maintenance page stays. The other tests may fail without our turning back; their faults are put on the board and mended in the morning.',
    '',
    'One remark about the return label: orders from the old side keep their number, but their label is drawn by the new ledger. It is worth to try one order from before and one from after the change of the tax rates.',
  ),
  user(
    'For the night itself I need the commands of the critical part, with what we wait for after each of them.',
  ),
  assistant(
    'The critical part, from the maintenance page to the test order:',
    '',
    '```',
    'larkctl page show --until 02:00 --languages en,fr,pt,sw   # wait: all four home pages show it',
    'larkctl stop worker --drain 120s                          # wait: 0 jobs running',
    'larkctl stop mailer --drain 300s                          # wait: queue length 0',
    'larkctl stop ledger --release-lease                       # wait: lease table is empty',
    'larkctl replica lag lark-d1 --expect 0 --repeat 2 --pause 10s',
    'larkctl replica promote lark-d1 --confirm LARKSPUR        # wait: lark-d1 accepts writes',
    'larkctl replica attach lark-d2 --to lark-d1 --background',
    'larkctl lease check --expect free                         # two people look at this line',
    'larkctl start ledger --on lark-c1 --take-lease            # wait: health is green, lease is held',
    'larkctl order test --customer 990017 --cents 1            # wait: booked once, invoice number given',
    '```',
    '',
    'What to do when a line does not come to its end:',
    '',
    '- **The queue of the mailer does not empty.** After 300 seconds the rest is written to a file, mails-left.json, and sent by hand on Saturday. Petra decides whether one of them cannot wait.',
    '- **The lease is not released.** The old ledger is stopped hard; its lease runs out by itself after 90 seconds. Do not delete the row by hand: the new ledger would take the next number although the old one may still be writing.',
    '- **The lag does not come down to zero.** Something is still writing on the old side. The list of open connections names it; most likely it is the portal, which has no owner and which nobody has stopped.',
    '- **The test order is booked twice.** Stop the ledger at once, tell Wanjiru, turn back. It is the only case in which nobody has to be asked.',
    '',
    'I have left the flag of the catalog out of this list, since the catalog is started before the window. Each of the ten lines is read aloud in the call before it is typed, and a second person confirms it. From the dry run we shall know how long each of them takes; until then I reckon with 25 minutes for all of them together.',
  ),
  user(
    'Please draft the text for customers. It should be short and friendly, say when, and say what still works.',
  ),
  assistant(
    'A draft for the banner and the mail:',
    '',
    '> **We are moving house.** On Friday night, between 22:00 and 02:00 Lisbon time, our shop closes for a short while. You can look at products until 22:00 and again as soon as we are through, most likely before 23:00. Your basket, your customer account and all your orders come with us; you do not have to do anything.',
    '>',
    '> Orders that you placed before 22:00 are packed on Saturday as usual. If you have a question during the night, Mireille and her team are there for you on the phone until 23:00, and by mail at any time.',
    '>',
    '> Thank you for your patience. The new shop is faster, and the old one has earned its rest.',
    '',
    'For the wholesale customers I would add one sentence: price lists and standing orders can be used again from Saturday at 08:00. The banner should be shown from 17:00 on, the mail should go out on Wednesday, since many people read it with a delay of a day. In the French text the time should be given as 23:00 to 03:00, in the Swahili text as 00:00 to 04:00, each in local time.',
  ),
  user('What could go wrong? List the risks with what we do about each of them.'),
  assistant(
    'The risks I see, with their effect and what is done about them:',
    '',
    ...risks.map(([risk, effect, remedy]) => `- **${risk}** ${effect}; ${remedy}.`),
    '',
    'The first one is the only one that cannot be mended afterwards: an invoice number that was given twice has to be reported. I would have two people look at the lease before the ledger is started.',
  ),
  user(
    'Some decisions from this morning:',
    '',
    '- The nightly export is left out on Friday; Ines runs it by hand on Saturday at 09:00.',
    '- The bucket for the copies is larkspur-move-2, in the region of Frankfurt.',
    '- We keep the order archive out of the first copy and bring it over on Sunday.',
    '- The maintenance page is in English, French, Portuguese and Swahili.',
    '- Petra checks that no mail template still carries the old address.',
    '- The test order is placed with the customer number 990017.',
  ),
  assistant(
    'I have taken the six decisions over. Two of them change the plan:',
    '',
    '1. Without the order archive the first copy is about 72 GB instead of 212 GB. At the rate that you measured last week, 95 MB a second, that is 13 minutes instead of 38.',
    '2. Reports that reach back before this year will not work between Friday night and Sunday. The ledger reads the archive when an old invoice is printed again, so support should know that such prints are not possible until then.',
    '',
    'Everything else fits the order of the steps as it is.',
  ),
  user(
    'Right, I have told support. One more thing: the catalog must be started with the flag --read-replica, otherwise it writes its cache into the primary.',
  ),
  assistant(
    'Noted: the catalog is started with the flag `--read-replica`. I have put it to step 5, since the catalog is started there, and to the list of what is looked at twice:',
    '',
    '- the lease of the ledger before step 8,',
    '- the lag of the replica before step 7, twice, ten seconds apart,',
    '- the flag of the catalog at step 5,',
    '- the empty queue of the mailer before step 10,',
    '- the signature of Odile before anything is deleted.',
    '',
    'The plan is complete from my side. What is still missing is a dry run and an owner for the portal.',
  ),
]

/** The conversation that the page opens with: about half of an 8k window, with a fact in its first message. */
export function migrationSample(): Opening {
  const about = { title: 'Moving Larkspur', format: 'openai-chat', origin: 'sample' } as const
  return { ...about, fields: {}, lead: [], messages }
}
