/** First names, some with accents. */
export const FIRST_NAMES: readonly string[] = (
  "Adelaide Alonzo Amara Anders André Annika Arlo Augusta Beatrix Benedict Bettina Björn Bridget Callum Camille Carlota " +
  "Cedric Chidi Clarissa Clement Cordelia Cyrus Dagny Damaris Delphine Desmond Dolores Edmund Eamon Effie Elías Eloise " +
  "Emeka Esmé Ezra Fabian Felicity Fergus Fiona Francesca Garrick Geneva Gideon Gloria Greta Gustavo Harriet Hector " +
  "Henrietta Hollis Ianthe Ignacio Imogen Ingrid Isidore Jadwiga Jerome Joaquín Jocelyn Josefina José Juniper Katarzyna " +
  "Keiko Kenji Lachlan Lavinia Leander Leopold Leticia Lorenzo Lucinda Magnus Maeve Malachi Marguerite Mateo Maximilian " +
  "Mercedes Millicent Minh Moira Nadia Naveen Nikolai Noémi Octavia Odell Olympia Orville Otis Paloma Percival Philippa " +
  "Priya Quentin Rafael Ramona Renée Roderick Rosalind Rufus Sabine Salma Selwyn Sigrid Silvio Søren Tabitha Tadashi " +
  "Theodora Thaddeus Tomás Ulysses Ursula Valentina Vikram Wendell Wilhelmina Winifred Ximena Yusuf Yolanda Zachary Zoë"
).split(" ");

/** Invented or rare last names, so that nobody in the corpus is a real person. */
export const LAST_NAMES: readonly string[] = (
  "Abernethie Achterberg Adeyinka Alderwick Amundsgaard Anquetil Applegarth Arrowood Ashdown-Reyes Babineaux Balthrop " +
  "Barrowclough Beaulac Beckinsdale Belisario Bexfield Blackthorne Bonaventure Bracegirdle Brandvold Brightwater Brisebois " +
  "Bukowiecki Burlingham Caddick Calloway-Oyelaran Carmody Castañeda Cavanagh-Ruiz Chalfont Charbonneau Chenoweth Clutterbuck " +
  "Coldiron Copperthwaite Corriveau Crabtree Culpepper Dahlquist Dankworth Delacroix-Hunt Desrosiers Dimitriadis Dovecote " +
  "Drummondson Dunwoody Eastlick Eckersley Ellingboe Elphinstone Entwistle Espinoza-Clay Etcheverry Fairweather Farquharson " +
  "Featherstone Fennimore Fiddler Fjelstad Flanagin Fontenot-Lee Fotheringham Frobisher Gagnepain Gallowglass Garfinkle " +
  "Gildersleeve Glasscock Godolphin Goldsworthy Grantham-Osei Greenhalgh Grimaldo Gudmundsen Guérin Hadleigh Halvorsrud " +
  "Hammerschlag Harcastle Hathersage Hawksmoor Heatherington Hightower-Diaz Hollingberry Honeycutt Huddlestone Hyacinthe " +
  "Ibáñez Iglesias-Moore Ingersleben Ironside Jankowiak Jardine Jellicoe Jernigan Kaltenbach Katzenmeyer Kerrigan-Shaw " +
  "Kilpatrick-Ng Kjeldsen Knatchbull Kowalczewski Kristoffersen Labuschagne Lachance Langstroth Larrabeiti Leatherwood " +
  "Lindqvist-Amos Llewellyn Lockridge Longfellow Lovelace-Pratt Lyttelton Macalintal Maddingley Magruder Malmstrom " +
  "Mandeville Marchbanks Mathiesen Mayweather McAlpinson McGillivray Merriweather Middlebrook Mondragón Montclair " +
  "Mountjoy Muñoz-Haley Nakagome Nethersole Nightingale Norquay Nørregaard Oberholtzer Okonjo-Bell Oldcastle Ollerenshaw " +
  "Ormsby-Vance Osterhaus Oyelowo Pangborn Papadakis-Roy Pargeter Pemberton Pettibone Philbrook Pinckney-Wu Plowright " +
  "Poindexter Prendergast Quackenbush Quillfeather Quiñonero Rademacher Rainsborough Ravensworth Redgauntlet Renshawe " +
  "Rhinelander Ridgeway-Sol Rosenquist Rotherham Saltonstall-Ito Sandoval-Pike Satterthwaite Scarborough-Finn Schumpert " +
  "Sedgewick Shackleford Silverthorne Skarsgaard Smallwood-Vega Sørensdatter Spofford Stellenbosch Stonebraker Strathmore " +
  "Summerhayes Szymborsky Tattersall Thistlewood Throckmorton Tillinghast Toussaint Trelawney Tufnell Underhill-Park " +
  "Uzoma Valderrama Vandermolen Vanterpool Villaseñor Wadsworthy Wainscott Warburton Weatherbee Westergaard Whittingstall " +
  "Wickersham Willoughby-Cruz Winterbourne Wolstenholme Wrottesley Yarborough-Kim Yellowlees Ystgaard Zabriskie Zeffirel"
).split(" ");

/** The fifty states; each has two senators. */
export const STATES: readonly string[] = (
  "Alabama,Alaska,Arizona,Arkansas,California,Colorado,Connecticut,Delaware,Florida,Georgia,Hawaii,Idaho,Illinois,Indiana," +
  "Iowa,Kansas,Kentucky,Louisiana,Maine,Maryland,Massachusetts,Michigan,Minnesota,Mississippi,Missouri,Montana,Nebraska," +
  "Nevada,New Hampshire,New Jersey,New Mexico,New York,North Carolina,North Dakota,Ohio,Oklahoma,Oregon,Pennsylvania," +
  "Rhode Island,South Carolina,South Dakota,Tennessee,Texas,Utah,Vermont,Virginia,Washington,West Virginia,Wisconsin,Wyoming"
).split(",");
