//! What placeholder pages say: those of large parkers and registrars, of walls against robots, of servers that were just set
//! up, of sites under maintenance, and of scripts and databases that failed.
//!
//! Every expression is a part of such a template, in lower case and with plain apostrophes, and so much its own that a short page with it
//! is nothing else. Beside each: the length of text above which it is ignored, for a page about such pages has more to say.

/// An expression, and the bytes of text (without white space) below which it tells.
pub(super) type Telling = (&'static str, u64);

/// Maximum length of a page that says this and nothing else.
const BARE: u64 = 300;
/// A page with a few sentences.
const SHORT: u64 = 900;
/// A page of a template with links or instructions.
const LONG: u64 = 3_500;

/// Parked domains: large parkers, registrars and hosts.
#[rustfmt::skip]
pub(super) const PARKERS: &[Telling] = &[
    // Sedo
    ("is your first and best source for all of the information you're looking for", LONG),
    ("is your first and best source for information about", LONG),
    ("has all of your search needs", LONG), ("using sedo domain parking", LONG), ("sedo domain parking", SHORT),
    ("the owner of this domain is offering it for sale", LONG), ("this website is for sale", SHORT),
    ("diese webseite wurde vom domain inhaber dynamisch generiert", LONG), ("diese website steht zum verkauf", SHORT),
    // GoDaddy, Afternic, Dan, HugeDomains, Uniregistry, Epik, Atom
    ("courtesy of godaddy", SHORT), ("this web page is parked free", SHORT), ("get this domain listed", SHORT),
    ("listed with afternic", SHORT), ("this domain has recently been listed in the marketplace", SHORT),
    ("this domain may be for sale by its owner", SHORT), ("the domain owner has listed this domain for sale", SHORT),
    ("this premium domain name is available for purchase", SHORT),
    ("this domain name is available for purchase", SHORT), ("this domain is available for purchase", SHORT),
    ("questions about this domain?", SHORT),
    // Namecheap, Network Solutions, Tucows, Hover, Gandi, OVH, IONOS, Strato, united-domains, Loopia, one.com, nic.ru, reg.ru, Alibaba
    ("registered at namecheap", SHORT), ("this domain was recently registered at namecheap", SHORT),
    ("this domain is registered with network solutions", SHORT), ("registered with network solutions", BARE),
    ("this site is under construction and coming soon", BARE), ("is a totally awesome idea still being worked on", SHORT),
    ("this domain has been registered with", BARE), ("this domain name has been registered with", SHORT),
    ("this domain name has just been registered", SHORT), ("this domain has been purchased and parked", SHORT),
    ("your domain has been created with ovh", SHORT), ("votre domaine a bien été créé", SHORT),
    ("ce nom de domaine a été enregistré", SHORT), ("ce nom de domaine vient d'être enregistré", SHORT),
    ("hier entsteht eine neue webseite", SHORT), ("hier entsteht eine neue internetpräsenz", SHORT),
    ("diese domain wurde soeben freigeschaltet", SHORT), ("diese domain wurde bei", BARE), ("domain ist noch nicht konnektiert", SHORT),
    ("questo dominio è stato registrato", BARE), ("este dominio ha sido registrado", BARE), ("este domínio foi registrado", BARE),
    ("домен зарегистрирован", BARE), ("домен не прилинкован ни к одной", SHORT), ("срок регистрации домена истек", SHORT),
    ("срок регистрации домена истёк", SHORT), ("このドメインは、お名前.comで取得されています", SHORT), ("このドメインは取得されています", BARE),
    // Expired
    ("is pending renewal or deletion", SHORT), ("pending renewal or deletion", SHORT), ("this domain is expired", BARE),
    ("this domain name has expired", SHORT), ("if you are the domain owner, please renew", SHORT),
    ("if you are the registrant of this domain", SHORT), ("this site's domain name has expired", SHORT),
    // Hosts and builders of sites
    ("if you're the owner of this website, please contact your hosting provider", SHORT),
    ("if you are the owner of this website, please contact your hosting provider", SHORT),
    ("contact your hosting provider for more information", BARE), ("this account has been suspended", BARE),
    ("this website account has expired", BARE), ("this site has been suspended", BARE), ("this website has been suspended", BARE),
    ("looks like this domain isn't connected to a website yet", SHORT), ("this shop is currently unavailable", BARE),
    ("this site is temporarily suspended", BARE), ("website is temporarily suspended", BARE), ("diese website wurde gesperrt", BARE),
    ("diese website ist vorübergehend gesperrt", BARE), ("ce site est suspendu", BARE), ("ce site a été suspendu", BARE), ("site suspendu", BARE),
    ("este sitio ha sido suspendido", BARE), ("sitio suspendido", BARE), ("cuenta suspendida", BARE), ("site suspenso", BARE),
    ("site temporariamente suspenso", BARE), ("conta suspensa", BARE), ("sito sospeso", BARE), ("account sospeso", BARE), ("deze website is opgeschort", BARE),
    ("сайт временно заблокирован", BARE), ("сайт отключён за неуплату", BARE), ("сайт приостановлен", BARE), ("このサイトは停止されています", BARE),
    ("このアカウントは停止されています", BARE), ("网站已暂停", BARE), ("站点已暂停", BARE),
    ("this hosting account has expired", BARE), ("bandwidth limit exceeded", BARE),
];

/// Walls against robots.
#[rustfmt::skip]
pub(super) const WALLS: &[Telling] = &[
    ("sucuri website firewall - access denied", LONG), ("access denied - sucuri website firewall", LONG),
    ("request unsuccessful. incapsula incident id", SHORT), ("incapsula incident id:", SHORT),
    ("the requested url was rejected. please consult with your administrator", SHORT),
    ("your access to this site has been limited by the site owner", LONG),
    ("this error was generated by mod_security", SHORT), ("we're verifying your browser", BARE), ("vercel security checkpoint", BARE),
    ("robot challenge screen", BARE), ("checking the site connection security", BARE), ("checking if the site connection is secure", SHORT),
    ("please turn javascript on and reload the page", SHORT),
    ("this process is automatic. your browser will redirect to your requested content shortly", SHORT),
    ("set up anubis to protect the server against the scourge of ai companies", LONG),
    ("as you were browsing something about your browser made us think you were a bot", LONG),
    ("block reason: bad bot access attempt", LONG), ("please complete the security check to access", SHORT),
    ("the owner of this website has banned your ip address", LONG), ("the owner of this website has banned your access", LONG),
    ("our systems have detected unusual traffic from your computer network", LONG),
    ("to discuss automated access to amazon data please contact", SHORT),
    ("attention required! | cloudflare", LONG), ("sorry, you have been blocked", SHORT),
    ("this website is using a security service to protect itself from online attacks", LONG),
    ("access to this page has been denied because we believe you are using automation tools", LONG),
    ("access to this page has been denied", BARE),
];

/// Servers that were just set up, maintenance, and errors of scripts and databases.
#[rustfmt::skip]
pub(super) const NOTICES: &[Telling] = &[
    // Servers
    ("if you see this page, the nginx web server is successfully installed", SHORT),
    ("if you see this page, nginx is successfully installed", SHORT),
    ("if you see this page, the openresty web platform is successfully installed", SHORT),
    ("this is the default welcome page used to test the correct operation of the apache", 9_000),
    ("this page is used to test the proper operation of the apache", LONG), ("this page is used to test the proper operation of the http server", LONG),
    ("this page is used to test the proper operation of the nginx http server", LONG),
    ("if you can read this page, it means that the web server installed at this site is working properly", LONG),
    ("if you can read this page it means that the web server installed at this site is working properly", LONG),
    ("if you can see this, it means that the installation of the apache", LONG), ("seeing this instead of the website you expected?", LONG),
    ("you should replace this page with your own web pages as soon as possible", LONG),
    ("if you're seeing this, you've successfully installed tomcat", LONG), ("you have successfully installed xampp on this system", LONG),
    ("the site you are trying to view does not currently have a default page", LONG),
    ("this page is generated by plesk", LONG), ("web server's default page", LONG), ("this is the plesk default page", SHORT),
    ("if you feel you have reached this page in error, please contact the web site owner", LONG),
    ("there is no website configured at this address", SHORT), ("default web site page", SHORT),
    ("congratulations! your web server is working", SHORT), ("this is a placeholder for the subdomain", SHORT),
    ("index.html is not uploaded", BARE), ("your website is ready. this is your index.html page", SHORT),
    ("there's nothing here, yet", BARE),
    // Pages that wikis, forums and portals have not
    ("there is currently no text in this page", SHORT), ("there is currently no text on this page", SHORT),
    ("invalid thread specified. if you followed a valid link", SHORT), ("invalid post specified. if you followed a valid link", SHORT),
    ("invalid forum specified. if you followed a valid link", SHORT), ("no thread specified. if you followed a valid link", SHORT),
    ("по данному адресу публикаций на сайте не найдено", SHORT), ("网站暂时无法访问", BARE), ("該網站暫時無法訪問", BARE),
    // Maintenance
    ("briefly unavailable for scheduled maintenance", BARE), ("this site is down for maintenance", BARE),
    ("site is down for maintenance", BARE), ("site is currently down for maintenance", BARE),
    ("site is currently undergoing scheduled maintenance", BARE), ("site is currently undergoing maintenance", BARE),
    ("site is undergoing scheduled maintenance", BARE), ("site is undergoing maintenance", BARE),
    ("site is temporarily unavailable due to maintenance", BARE), ("site is temporarily unavailable due to scheduled maintenance", BARE),
    ("seite wegen wartungsarbeiten", BARE), ("website wegen wartungsarbeiten", BARE), ("seite ist wegen wartungsarbeiten", BARE),
    ("website ist wegen wartungsarbeiten", BARE), ("wegen wartungsarbeiten nicht erreichbar", BARE), ("wegen wartungsarbeiten nicht verfügbar", BARE),
    ("сайте ведутся технические работы", BARE), ("サイトはメンテナンス中", BARE),

    ("we are currently performing scheduled maintenance", BARE), ("we are currently undergoing maintenance", BARE),
    ("site under maintenance", BARE), ("website under maintenance", BARE), ("site is under maintenance", BARE), ("website is under maintenance", BARE),
    ("is currently under maintenance. we should be back shortly", SHORT), ("the site is currently not available due to technical problems", SHORT),
    ("befindet sich im wartungsmodus", BARE),
    ("site est en maintenance", BARE), ("site en maintenance", BARE), ("momentanément indisponible pour maintenance", BARE),
    ("sitio en mantenimiento", BARE), ("sitio web en mantenimiento", BARE), ("estamos en mantenimiento", BARE), ("site em manutenção", BARE),
    ("sito in manutenzione", BARE), ("in manutenzione programmata", BARE), ("site is in onderhoud", BARE), 
    ("сайт находится на техническом обслуживании", BARE),
    ("ただいまメンテナンス中", BARE), ("网站维护中", BARE), ("系统维护中", BARE),
    // Databases and scripts
    ("error establishing a database connection", BARE), ("error connecting to database", BARE), ("error connecting to the database", BARE),
    ("could not connect to the database", BARE), ("unable to connect to the database", BARE), ("unable to connect to database server", BARE),
    ("unable to select database", BARE), ("can't connect to local mysql server", SHORT), ("can't connect to mysql server", BARE), ("sqlstate[hy000]", SHORT),
    ("too many connections", 60), ("fehler beim aufbau einer datenbankverbindung", BARE),
    ("erreur lors de la connexion à la base de données", BARE), ("error al establecer una conexión con la base de datos", BARE),
    ("erro ao estabelecer uma conexão com o banco de dados", BARE), ("errore nello stabilire una connessione al database", BARE),
    ("fout bij het maken van verbinding met de database", BARE), ("ошибка установки соединения с базой данных", BARE),
    ("データベース接続確立エラー", BARE), ("建立数据库连接时出错", BARE),
    ("fatal error: uncaught", 1_500), ("fatal error: call to undefined function", SHORT), ("fatal error: call to a member function", SHORT),
    ("fatal error: allowed memory size of", BARE), ("fatal error: maximum execution time of", BARE),
    ("fatal error: require", BARE), ("fatal error: class", BARE), ("fatal error: cannot redeclare", BARE), ("parse error: syntax error, unexpected", BARE),
    ("there has been a critical error on this website", SHORT), ("there has been a critical error on your website", SHORT),
    ("an error occurred in the application and your page could not be served", SHORT),
    ("server error in '/' application", LONG), ("active server pages error 'asp", SHORT), ("microsoft ole db provider for", SHORT),
    ("no configuration file found and no installation code available", BARE),
];

/// Markup that parkers and walls alone have, on pages with next to no text: their scripts show the rest. In lower case.
#[rustfmt::skip]
pub(super) const PARKER_MARKS: &[&str] = &[
    "window.location.href=\"/lander\"", "window.location.href='/lander'", "window.location.href = \"/lander\"", "lander_system",
    "img1.wsimg.com/parking-lander", "window.park=", "window.park =", "sedoparking.com", "parkingcrew.net", "parklogic.com",
    "google.com/adsense/domains/caf.js", "d38psrni17bvxu.cloudfront.net", "bodis.com", "parking.bodiscdn.com", "cdn.hugedomains.com", "dan.com/buy-domain",
    "fastpark.net", "dsparking.com", "rookmedia.net", "domainmarket.com/buynow",
];

#[rustfmt::skip]
pub(super) const WALL_MARKS: &[&str] = &[
    "incapsula incident id", "_cf_chl_opt", "cf-browser-verification", "captcha-delivery.com", "id=\"px-captcha\"", "window.gokuprops",
    "sucuri_cloudproxy_js", "/_sec/cp_challenge", "slowaes.decrypt", "ddos-guard/js-challenge", "/.well-known/sgcaptcha", "distil_r_captcha",
];
