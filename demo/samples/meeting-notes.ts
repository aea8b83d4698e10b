const agenda = [
  [
    'Network',
    'Tariq',
    'the new load balancer drops idle connections after 55 seconds, so the pool of the ledger must close them after 50',
  ],
  [
    'Database',
    'Ines',
    'replica lag was 340 ms at noon and 1.9 s during the nightly export; the export moves to 03:40',
  ],
  [
    'Search',
    'Wanjiru',
    'the index was rebuilt in 41 minutes; the old index stays readable until Monday',
  ],
  [
    'Payments',
    'Odile',
    'the provider allows 120 calls a second; retries wait 2, 4 and 8 seconds and then go to the queue',
  ],
  [
    'Mail',
    'Petra',
    'bounce handling was switched to the new sender larkspur-post; 14 templates are still to be checked',
  ],
  [
    'Images',
    'Joao',
    'thumbnails are made on first view; the first visitor of a product waits about 700 ms',
  ],
  [
    'Backups',
    'Ines',
    'the restore test of last week took 2 hours 12 minutes; two tables were read twice',
  ],
  ['Support', 'Mireille', 'a banner is shown from 17:00; the phone line is staffed until 23:00'],
  [
    'Monitoring',
    'Tariq',
    'alerts for queue depth start at 4,000 entries; the dashboard is named larkspur-move',
  ],
  [
    'Costs',
    'Odile',
    'both clusters run side by side for nine days; finance has agreed to 6,400 euros',
  ],
  [
    'Legal',
    'Mireille',
    'the processing agreement with the new host was signed on Tuesday, file LG-118',
  ],
  [
    'Rollback',
    'Wanjiru',
    'the old cluster stays warm for 72 hours; going back takes 20 minutes and loses no order',
  ],
] as const

/** Notes of a meeting, pasted in one message: about 1,000 tokens that push the sample towards its limit. */
export const meetingNotes = [
  'Here are the notes of the planning meeting, for later questions:',
  '',
  ...agenda.map(
    ([topic, owner, note], index) =>
      `${index + 1}. ${topic} (${owner}): ${note}. ${owner} reports back on the board under MOVE-${301 + index * 7}, names a deputy for Friday night, and checks on Thursday at ${9 + (index % 8)}:${index % 2 === 0 ? '15' : '45'} that nothing has changed; whoever depends on it hears of it in the call at 18:00.`,
  ),
  '',
  'Open ends: nobody has looked at the wholesale portal yet, and the printer in the warehouse still uses the old host name.',
].join('\n')
