/** Words that all generated products share: brands, colors, countries, sentences. None mentions a pack size. */

export const BRANDS = Object.freeze([
  'Potter & Sons',
  'Northfold',
  'Brightwater',
  'Casa Lumière',
  'Hearth & Harbor',
  'Kestrel Works',
  'Maple Row',
  'Oakline',
  'Pine & Pewter',
  'Quillon',
  'Riverstone',
  'Saltmarsh',
  'Tallgrass',
  'Umber Lane',
  'Vela Nord',
  'Wexcombe',
  'Alder Street',
  'Blue Heron Supply',
  'Cobalt Yard',
  'Dovetail House',
  'Everbrook',
  'Fernhollow',
  'Granite Peak',
  'Halvorsen',
]);

export interface Color {
  readonly name: string;
  /** The taxonomy's name of the color. */
  readonly family: string;
  /** Used in SKU ids. */
  readonly mark: string;
}

export const COLORS: readonly Color[] = Object.freeze([
  { name: 'Jet Black', family: 'Black', mark: 'BLK' },
  { name: 'Chalk White', family: 'White', mark: 'WHT' },
  { name: 'Navy', family: 'Blue', mark: 'NVY' },
  { name: 'Forest Green', family: 'Green', mark: 'FRG' },
  { name: 'Brick Red', family: 'Red', mark: 'BRD' },
  { name: 'Slate', family: 'Gray', mark: 'SLT' },
  { name: 'Sand', family: 'Beige', mark: 'SND' },
  { name: 'Mustard', family: 'Yellow', mark: 'MST' },
  { name: 'Plum', family: 'Purple', mark: 'PLM' },
  { name: 'Chestnut', family: 'Brown', mark: 'CHN' },
]);

export const COUNTRIES = Object.freeze(['Portugal', 'United States', 'Vietnam', 'Italy', 'Mexico', 'Germany', 'India']);

export const TRAITS = Object.freeze([
  'everyday',
  'classic',
  'lightweight',
  'sturdy',
  'compact',
  'premium',
  'reinforced',
  'signature',
]);

/** Sentences for descriptions; they fit any product. */
export const SENTENCES = Object.freeze([
  'Made in small runs, inspected by hand and shipped in recycled cardboard without plastic filler.',
  'The design has changed little in ten years, because nothing about it asked to be changed.',
  'It arrives ready to use, with a short guide in four languages and no tools needed.',
  'Customers tell us that it outlasts what they had before, and we keep spare parts for eight years.',
  'We chose the materials for how they feel after a thousand uses, not only on the first day.',
  'A generous guarantee covers faults in material and workmanship for two years from delivery.',
  'It fits in with what you own already and leaves room for what you may add later.',
  'Every batch is tested by an independent laboratory, and the results are on our pages.',
  'Whether it is a gift or for yourself, it comes in a box that is worth keeping.',
  'Clean it with a damp cloth, keep it dry, and it will look the same in five years.',
  'Our workshop runs on power from its own roof, and offcuts go back into production.',
  'Photographs show the article in daylight; colors on your screen may differ a little.',
  'Sizes are those of the finished article, measured flat, with a tolerance of two percent.',
  'Developed together with people who use it every day at work, and who are hard to please.',
]);

export const BULLETS = Object.freeze([
  'Two years of guarantee on material and workmanship',
  'Tested for daily use over a thousand cycles',
  'Easy to clean: a damp cloth is all it takes',
  'Arrives ready to use, with a guide in four languages',
  'Spare parts are available for eight years',
  'Packed without plastic, in recycled cardboard',
  'Designed and inspected by hand in small runs',
  'A thoughtful gift in a box that is worth keeping',
  'Free of substances that the strictest lists name',
]);
