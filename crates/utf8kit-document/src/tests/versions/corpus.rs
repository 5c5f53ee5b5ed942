//! Generates text in many languages from their words.

use utf8kit_testing::Random;

/// A language: the encodings of its files, its words, and the text between them.
pub(super) struct Language {
    pub(super) encodings: &'static [&'static str],
    words: &'static str,
    space: &'static str,
}

pub(super) const LANGUAGES: [Language; 14] = [
    Language {
        encodings: &["utf-8", "utf-8", "windows-1252", "latin1", "iso-8859-15", "cp850", "macintosh"],
        words: "le café est très bon élève crêpe forêt déserte été comme hiver où ça Noël à bientôt garçon naïve \
                une fenêtre fermée leçon sœur cœur hôtel île maïs qu'il «bonjour» prix réduit deuxième août l'œuf",
        space: " ",
    },
    Language {
        encodings: &["utf-8", "utf-8", "windows-1252", "latin1", "cp850"],
        words: "Grüße aus Köln Straße Größe groß Übung macht den Meister Fußgänger Ärger mit Öl Bäcker über für \
                zwölf Äpfel schön müde „Hallo“ Tür Schlüssel weiß fünf nächste Woche Gespräch Mädchen",
        space: " ",
    },
    Language {
        encodings: &["utf-8", "windows-1252", "latin1", "macintosh"],
        words: "el niño mañana está aquí ¿qué? corazón España señor año más también ¡hola! canción inglés así \
                pingüino número dirección calle árbol público São João não ação coração",
        space: " ",
    },
    Language {
        encodings: &["utf-8", "utf-8", "koi8-r", "windows-1251", "ibm866", "iso-8859-5"],
        words: "Привет мир быстрая лиса съешь ещё этих мягких французских булок Москва и Петербург ошибка файл не \
                найден пользователь новый список слово дело год человек время рука",
        space: " ",
    },
    Language {
        encodings: &["utf-8", "windows-1251", "koi8-u"],
        words: "Привіт світ швидка руда лисиця її їжак ґанок Київ Львів помилка файл не знайдено новий список \
                слово рік людина день місто",
        space: " ",
    },
    Language {
        encodings: &["utf-8", "windows-1250", "iso-8859-2"],
        words: "Zażółć gęślą jaźń łódź płynie Dzień dobry świecie Kraków i Gdańsk żółty źle ćma książka się \
                też będzie pięć miesiąc gość człowiek",
        space: " ",
    },
    Language {
        encodings: &["utf-8", "windows-1250", "iso-8859-2", "cp852"],
        words: "Příliš žluťoučký kůň úpěl ďábelské ódy dobrý den svět čeština řeka město náměstí děkuji tři čtyři \
                pět přítel škola učitel",
        space: " ",
    },
    Language {
        encodings: &["utf-8", "windows-1253", "iso-8859-7"],
        words: "Καλημέρα κόσμε ο χρόνος είναι χρήμα Αθήνα θάλασσα νερό άνθρωπος σπίτι λάθος αρχείο δεν βρέθηκε \
                νέος κατάλογος λέξη έτος ημέρα",
        space: " ",
    },
    Language {
        encodings: &["utf-8", "windows-1254", "iso-8859-9"],
        words: "İstanbul şehir güzel çok ağaç ışık öğretmen üç yıl küçük değil için şimdi gün çocuk dünya \
                merhaba kış sığır",
        space: " ",
    },
    Language {
        encodings: &["utf-8", "windows-1255", "iso-8859-8"],
        words: "שלום עולם בוקר טוב ירושלים ספר ילד מים בית קובץ לא נמצא שגיאה רשימה חדשה מילה שנה יום איש",
        space: " ",
    },
    Language {
        encodings: &["utf-8", "windows-1256", "iso-8859-6"],
        words: "مرحبا بالعالم صباح الخير القاهرة كتاب ولد ماء بيت ملف غير موجود خطأ قائمة جديدة كلمة سنة يوم رجل",
        space: " ",
    },
    Language {
        encodings: &["utf-8", "utf-8", "shift_jis", "euc-jp"],
        words: "こんにちは 世界 これは コメント です 日本語 の テキスト 東京都 千代田区 カタカナ と ひらがな 新しい \
                ファイル が 見つかりません でした 一覧 単語 、 。",
        space: "",
    },
    Language {
        encodings: &["utf-8", "utf-8", "gb18030", "gbk", "big5"],
        words: "你好 世界 中文 文本 北京 是 一 新 的 列表 文件 不存在 人 年 月 日 天 地 水 火 山 大 小 ， 。",
        space: "",
    },
    Language {
        encodings: &["utf-8", "euc-kr"],
        words: "안녕하세요 세계 서울 한국어 텍스트 파일을 찾을 수 없습니다 새로운 목록 단어 사람 물 집 오늘 내일 학교",
        space: " ",
    },
];

/// Lines of only ASCII.
const PLAIN: [&str; 16] = [
    "int main(void) {",
    "    return 0;",
    "}",
    "",
    "# heading",
    "if (a < b) goto end;",
    "the quick brown fox jumps over the lazy dog",
    "x = y + 1",
    "\ttab?",
    "https://example.org/?q=1&page=2",
    "is this a question?",
    "name,age,city",
    "<p class=\"note\">",
    "SELECT * FROM t WHERE id = ?;",
    "0123456789",
    "a-b-c-d",
];

impl Language {
    pub(super) fn word(&self, random: &mut Random) -> &'static str {
        let words: Vec<&str> = self.words.split_whitespace().collect();
        random.pick(&words)
    }

    /// Returns some words.
    pub(super) fn phrase(&self, random: &mut Random, words: usize) -> String {
        let words: Vec<&str> = (0..words).map(|_| self.word(random)).collect();
        words.join(self.space)
    }

    /// Returns a line, which may be long in the hard set.
    pub(super) fn line(&self, random: &mut Random, is_hard: bool) -> String {
        let most = if is_hard && random.below(12) == 0 { 120 } else { 8 };
        let count = 1 + random.below(most);
        let phrase = self.phrase(random, count);
        let number = random.below(1000);
        match random.below(14) {
            0 => format!("    // {phrase}"),
            1 => format!("{number},{phrase},{}", self.word(random)),
            2 => format!("printf(\"{phrase}: %d\\n\", {number});"),
            3 => format!("key{number} = {phrase}"),
            4 => format!("<p>{phrase}</p>"),
            5 => format!("- {phrase}."),
            6 => format!("{{\"id\": {number}, \"text\": \"{phrase}\"}}"),
            7 => format!("{phrase} (see page {number})"),
            8..=11 => random.pick(&PLAIN).to_owned(),
            _ => phrase,
        }
    }

    /// Returns a line with non-ASCII text.
    pub(super) fn telling_line(&self, random: &mut Random, is_hard: bool) -> String {
        loop {
            let line = self.line(random, is_hard);
            if !line.is_ascii() {
                return line;
            }
        }
    }
}
